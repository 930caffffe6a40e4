/** Exit codes of all commands (docs/command-line.md). */
export const EXIT = {
  success: 0,
  failure: 1,
  rowsRejected: 2,
  differencesFound: 3,
  guardExceeded: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that the user can correct; only its message is printed. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failure,
  ) {
    super(message);
  }
}
