/** A row that has another key from now on. */
export interface RenamedRow {
  workspaceId: string;
  tableId: string;
  from: string;
  to: string;
}

/**
 * Follows a row whose key changes, in the transaction that changes it and after the row is locked. Higher modules that
 * keep keys of rows register one.
 */
export abstract class RowReferrer {
  abstract renamed(row: RenamedRow): Promise<void>;
}
