/** A table that is there no more. */
export interface DroppedTable {
  workspaceId: string;
  tableId: string;
}

/**
 * Hears of a table that is dropped, in the transaction that drops it and under its lock. Higher modules that keep ids of
 * tables register one.
 */
export abstract class TableReferrer {
  abstract dropped(table: DroppedTable): Promise<void>;
}
