export const ROW_STATUSES = ['created', 'updated', 'unchanged', 'failed'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** A reference that names no row. */
export interface UnresolvedReference {
  /** Position among the rows sent, from 0. */
  index: number;
  /** In a file: the line on which the row begins, from 1. */
  line?: number;
  /** Key of the column. */
  column: string;
  value: string;
}

export interface UnresolvedReferences {
  total: number;
  /** The first ones. */
  first: UnresolvedReference[];
}

/** What became of a row. */
export interface RowResult {
  /** Position among the rows sent, from 0. */
  index: number;
  /** Primary key of the row; null if a failed row has none. */
  key: string | null;
  status: RowStatus;
}
