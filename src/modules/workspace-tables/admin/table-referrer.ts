export interface DroppedTable {
  workspaceId: string;
  tableId: string;
}

/**
 * Is informed of dropped tables, in the transaction that drops the table and under its lock. Modules that store IDs of tables
 * register an implementation with DropTablesService.
 */
export abstract class TableReferrer {
  abstract removeReferences(table: DroppedTable): Promise<void>;
}
