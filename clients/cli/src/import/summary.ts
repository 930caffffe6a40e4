import { EXIT, type ExitCode } from '../exit-codes.js';
import type { ImportPlan } from './import-plan.js';
import type { ReplaceFlags } from './replacement.js';

export interface ImportFlags extends ReplaceFlags {
  dryRun?: boolean;
  onError?: 'continue';
  results?: string;
  resume?: boolean;
}

/** An error of the service, or of a row that the command line did not send. */
export interface ReportedError {
  code: string;
  message: string;
  column?: string;
  key?: string;
  line?: number;
}

/** What an import has done; `summary.json` has the same fields. */
export interface Summary {
  file: string;
  table: string;
  dryRun: boolean;
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Rows that `--on-duplicate` left out. */
  skipped: number;
  unresolved: number;
  /** With `--replace`. */
  deleted?: number;
  guard?: { limit: number; deletions: number; exceeded: boolean };
  /** Whether the valid rows are stored; false for a dry run, and if rejected rows prevented it. */
  isStored: boolean;
  /** IDs of the batches, which `atrium undo` takes. */
  batches: string[];
  seconds: number;
  /** The first errors. */
  errors: ReportedError[];
}

export function emptySummary(
  { source, table }: Pick<ImportPlan, 'source' | 'table'>,
  { dryRun = false }: ImportFlags,
): Summary {
  const counts = { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, skipped: 0, unresolved: 0 };
  return {
    file: source.name,
    table: table.name,
    dryRun,
    ...counts,
    isStored: false,
    batches: [],
    seconds: 0,
    errors: [],
  };
}

export const MAX_ERRORS = 100;

export function addError(summary: Summary, error: ReportedError): void {
  summary.rejected++;
  if (summary.errors.length < MAX_ERRORS) summary.errors.push(error);
}

/** Of a command that has imported several files. */
export function exitCodeOf(summaries: Summary[]): ExitCode {
  if (summaries.some(({ guard }) => guard?.exceeded)) return EXIT.guardExceeded;
  return summaries.some(({ rejected }) => rejected > 0) ? EXIT.rowsRejected : EXIT.success;
}
