import type { ReportedError } from '../failure.js';
import type { ImportPlan } from './import-plan.js';
import type { LoadFlags } from './load-flags.js';

const NO_ROWS = {
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  /** Rows that `--on-duplicate` left out. */
  skipped: 0,
  unresolved: 0,
  /** Values that are stored although they violate a constraint of their column. */
  warned: 0,
};

type RowCounts = typeof NO_ROWS;

/** What an import has done; `summary.json` has the same fields. */
export interface Summary extends RowCounts {
  file: string;
  table: string;
  dryRun: boolean;
  /** With `--replace`. */
  deleted?: number;
  guard?: { limit: number; deletions: number; exceeded: boolean };
  /** Whether the valid rows are stored; false for a dry run, and if rejected rows prevented it. */
  isStored: boolean;
  /** Why nothing is stored although `--on-error continue` is set. */
  reason?: string;
  /** IDs of the batches, which `atrium undo` takes. */
  batches: string[];
  /** IDs of the proposals, if the changes wait for approval: nothing of them is stored. */
  proposals: string[];
  /** Of a list of SAP: how many lines were not read as rows. */
  notRead?: string | undefined;
  /** The folder of the result files. */
  results?: string;
  seconds: number;
  /** The first errors. */
  errors: ReportedError[];
  /** The first values that are stored although they violate a constraint of their column. */
  warnings: ReportedError[];
}

export function emptySummary(
  { source, table }: Pick<ImportPlan, 'source' | 'table'>,
  { dryRun = false, results }: LoadFlags,
): Summary {
  return {
    file: source.name,
    table: table.name,
    dryRun,
    ...NO_ROWS,
    isStored: false,
    batches: [],
    proposals: [],
    results,
    seconds: 0,
    errors: [],
    warnings: [],
  };
}

export const MAX_ERRORS = 100;

/** What a load has done, as it is printed. */
export function outcomeOf({ dryRun, isStored, proposals }: Summary): string {
  if (dryRun) return 'dry run';
  if (proposals.length > 0) return 'waits for approval';
  return isStored ? 'stored' : 'nothing stored';
}
