/** A row as it was read: texts of a file with columns, or the values of an object. */
export interface SourceRow {
  /** The line of the file, counted from 1. */
  line: number;
  cells: Record<string, unknown>;
}
