/** What a cell of a row holds. */
export type StoredValue = string | number | boolean | null;

/** A value that cannot be stored without loss, and why. */
export class InvalidValue {
  constructor(
    readonly message: string,
    readonly code: 'type_mismatch' | 'too_long' = 'type_mismatch',
  ) {}
}
