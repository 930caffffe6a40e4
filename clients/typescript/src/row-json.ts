/**
 * A value that JSON cannot contain: JSON.stringify would send null or nothing instead, and clear a stored value.
 * Nothing was sent.
 */
export class InvalidValueError extends TypeError {
  override readonly name = 'InvalidValueError';

  constructor(
    /** The position of the row or note, from 0. */
    readonly index: number,
    /** Of the row, or the field of the note. */
    readonly column: string,
    value: unknown,
    position = `Row ${index}, column "${column}"`,
  ) {
    const text = value instanceof Date ? 'an invalid date' : typeof value === 'function' ? 'a function' : String(value);
    super(`${position}: ${text} cannot be sent. Send null to clear the value. Nothing of it was sent.`);
  }
}

/** A row as JSON. Omitted and undefined columns are not changed. @throws {InvalidValueError} */
export function toRowJson(row: object, index: number): string {
  for (const [column, value] of Object.entries(row) as [string, unknown][])
    if (!isSendable(value)) throw new InvalidValueError(index, column, value);
  return JSON.stringify(row);
}

/** Requires that JSON can contain the values of a note. @throws {InvalidValueError} */
export function requireNoteValues(note: object, index = 0): void {
  for (const [field, value] of Object.entries(note) as [string, unknown][]) {
    const position = `Note ${index}, field "${field}"`;
    // `fields` and `customFields` contain values by their names.
    const values: unknown[] =
      typeof value === 'object' && value?.constructor === Object ? Object.values(value) : [value];
    for (const each of values) if (!isSendable(each)) throw new InvalidValueError(index, field, each, position);
  }
}

function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol';
}
