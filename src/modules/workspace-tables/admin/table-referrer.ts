/** A table that is dropped. */
export interface DroppedTable {
  workspaceId: string;
  tableId: string;
}

/**
 * Removes references to a table that is dropped, in the same transaction and under the lock of the table, or rejects
 * the drop. Modules that store IDs of tables register an implementation with DropTablesService.
 */
export abstract class TableReferrer {
  abstract removeReferences(table: DroppedTable): Promise<void>;
}
