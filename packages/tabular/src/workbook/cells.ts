/**
 * A number of a workbook that is displayed otherwise, such as with zeros: a number for number columns, its text for all
 * others.
 */
export class PaddedNumber {
  constructor(
    readonly value: number,
    /** Invalid if the number is not displayed completely. */
    readonly text: string | InvalidCell,
    /** Is it written as numbers that identify something, with zeros at its start or a prefix? */
    readonly isKey: boolean,
  ) {}
}

/** A cell of a workbook without a value that can be stored, such as `#N/A`. The service rejects its row. */
export class InvalidCell {
  constructor(
    /** Such as `B2`. */
    readonly address: string,
    readonly problem: string,
  ) {}

  /** An object is not a value of any column: the service rejects the cell with its line and column, and quotes this. */
  toJSON(): object {
    return { [this.address]: this.problem };
  }
}

/** An empty cell is null. Dates and times are texts: `2024-01-31`, `2024-01-31T08:30:00.000Z`, `08:30`. */
export type WorkbookCell = string | number | boolean | null | PaddedNumber | InvalidCell;
