/**
 * A value that JSON cannot contain: JSON.stringify would send null or nothing instead, and clear a stored value.
 * Nothing was sent.
 */
export class InvalidValueError extends TypeError {
  override readonly name = 'InvalidValueError';

  constructor(
    /** The position of the row, from 0. */
    readonly index: number,
    readonly column: string,
    value: unknown,
  ) {
    const text = value instanceof Date ? 'an invalid date' : typeof value === 'function' ? 'a function' : String(value);
    super(
      `Row ${index}, column "${column}": ${text} cannot be sent. Send null to clear the value. Nothing of the row was sent.`,
    );
  }
}

/** A row as JSON. Omitted and undefined columns are not changed. @throws {InvalidValueError} */
export function toRowJson(row: object, index: number): string {
  for (const [column, value] of Object.entries(row) as [string, unknown][])
    if (!isSendable(value)) throw new InvalidValueError(index, column, value);
  return JSON.stringify(row);
}

function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol';
}
