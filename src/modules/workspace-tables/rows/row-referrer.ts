/** A row whose key changes. */
export interface RenamedRow {
  workspaceId: string;
  tableId: string;
  from: string;
  to: string;
}

/**
 * Updates references to a row whose key changes, in the same transaction and after the row is locked. Modules that
 * store keys of rows register an implementation with the RenameService.
 */
export abstract class RowReferrer {
  abstract updateReferences(row: RenamedRow): Promise<void>;
}
