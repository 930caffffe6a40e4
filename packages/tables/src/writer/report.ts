import type { ErrorCount } from '../../../errors/src/domain-error.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import type { IgnoredDifference } from '../catalog/column-plan.js';
import type { TableError } from '../catalog/tables.errors.js';
import type { RowResult, UnresolvedReferences } from '../sources/row-source.js';

/** Rows of a change by what became of them. */
export interface RowCounts {
  received: number;
  created: number;
  updated: number;
  /** Equal to the stored row: nothing was written. */
  unchanged: number;
  failed: number;
  /** Rows of a file omitted because another row with their key counts. */
  skipped?: number;
  /** Rows that a file which replaces others lacks. */
  deleted?: number;
}

/** The deletions of a replacement, and how many of them are allowed. */
export interface DeletionGuard {
  limit: number;
  deletions: number;
  exceeded: boolean;
}

/** What a change did to a table. */
export interface TableReport extends RowCounts {
  id: string;
  name: string;
  type: EntityKind;
  /** After the change. */
  revision: number;
  tableCreated: boolean;
  /** Keys of the columns that the change added. */
  columnsAdded: string[];
  columnsIgnored: IgnoredDifference[];
  unresolved: UnresolvedReferences;
  guard?: DeletionGuard;
  /** The result per row, in the order sent, if requested. */
  items?: RowResult[];
}

/** The errors of rows, as every response contains them. */
export interface ReportedErrors {
  /** The number of errors of each kind, the most frequent first. */
  summary: ErrorCount[];
  /** The first 1,000, but at least 20 of each kind. */
  errors: TableError[];
}

/** What a change did to all tables. */
export interface ChangeReport extends ReportedErrors {
  /** Absent for a dry run and a proposal. */
  batchId?: string;
  /** If the changes wait for approval: nothing is stored, and the report contains what would be. */
  proposalId?: string;
  /** Only in a dry run: true if the changes would wait for approval. */
  needsApproval?: true;
  /** The highest revision among the tables. */
  revision: number;
  /** Sums over all tables. */
  totals: RowCounts;
  /** In the order sent. */
  tables: TableReport[];
  /** Rows that were stored although they violate a constraint with `level: warning`. Absent if there are none. */
  warnings?: ReportedErrors;
}
