/** Exit codes of all commands (docs/reference/command-line.md). */
export const EXIT = {
  success: 0,
  failure: 1,
  rowsRejected: 2,
  differencesFound: 3,
  guardExceeded: 4,
  waitsForApproval: 5,
  /** Ctrl-C at a question: 128 and the number of the signal, as shells report it. */
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `
Exit codes: 0 success, 1 failure, 2 rows rejected, 3 differences found (diff), 4 more deletions than allowed,
5 the changes wait for approval, 130 Ctrl-C at a question.`;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The codes of errors of the service that reject rows, notes or values. */
const REJECTIONS: ReadonlySet<string | undefined> = new Set([
  ...['invalid_rows', 'invalid_records', 'invalid_key', 'invalid_items', 'invalid_note', 'invalid_transition'],
  ...['reference_taken', 'unknown_row', 'ambiguous_row'],
]);

/** What a command, or one of its loads, has done. What is not set is false. */
interface Outcome {
  /** What has ended it. */
  error?: unknown;
  isFailed?: boolean;
  exceedsDeletions?: boolean;
  isWaiting?: boolean;
  isRejected?: boolean;
  isDifferent?: boolean;
}

/** The code of a command is the first of those of its outcomes. */
const PRECEDENCE: readonly ExitCode[] = [
  ...[EXIT.interrupted, EXIT.failure, EXIT.guardExceeded, EXIT.rowsRejected, EXIT.waitsForApproval],
  EXIT.differencesFound,
];

export function exitCodeOf(...outcomes: Outcome[]): ExitCode {
  const codes = outcomes.map(findExitCode);
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.success;
}

function findExitCode({ error, isFailed, exceedsDeletions, isWaiting, isRejected, isDifferent }: Outcome): ExitCode {
  const cause = findCause(error) as { code?: string } | undefined;
  if (cause instanceof UsageError) return cause.exitCode;
  if (REJECTIONS.has(cause?.code)) return EXIT.rowsRejected;
  if (cause?.code === 'too_many_deletions') return EXIT.guardExceeded;
  if (cause !== undefined) return EXIT.failure;
  if (isFailed) return EXIT.failure;
  if (exceedsDeletions) return EXIT.guardExceeded;
  // Rows that wait can be rejected, too: nothing is stored yet.
  if (isWaiting) return EXIT.waitsForApproval;
  if (isRejected) return EXIT.rowsRejected;
  return isDifferent ? EXIT.differencesFound : EXIT.success;
}

/** An error that the user can correct; only its message is printed. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failure,
    /** In JSON. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** A file is not valid, or how it must be read is not certain. Nothing of it was stored. */
export class FileError extends UsageError {
  constructor(message: string) {
    super(`${message} Nothing was stored.`);
  }
}

/** Ctrl-C at a question, before its answer. */
export class InterruptedError extends UsageError {
  constructor() {
    super('Interrupted. Nothing was changed.', EXIT.interrupted);
  }
}

/**
 * A request fails as its connection does if its file cannot be read.
 *
 * @returns the error of the file, if there is one
 */
export function findCause(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof UsageError) return cause;
  return error;
}
