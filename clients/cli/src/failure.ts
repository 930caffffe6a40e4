import { EXIT, type ExitCode, findCause, UsageError } from './exit-codes.js';
import { writeText } from './output.js';

/** Names of errors of the client; its module is loaded only by commands that call the service. */
interface ServiceError extends Error {
  status?: number;
  code?: string;
  requestId?: string;
  details?: { total?: number; errors?: ErrorEntry[] };
  retryAfter?: number;
  address?: string;
}

interface ErrorEntry {
  field?: string;
  table?: string;
  index?: number;
  line?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

const MAX_LISTED = 20;

const ADVICE: Record<string, string> = {
  invalid_client: 'Run `atrium login` with the current client ID and secret.',
  invalid_api_key: 'Run `atrium login --api-key KEY` with a valid key.',
  unauthenticated: 'Run `atrium login`.',
  insufficient_scope: 'Sign in with credentials that have this scope.',
  revision_gone: 'Export the table again, and follow it from the new revision.',
  storage_full: 'The service needs storage. Ask its operator.',
  batch_conflict: 'Undo the later batches first, or leave these rows as they are with --on-conflict skip.',
  already_undone: '`atrium batches` lists the batch that has undone it, which can be undone, too.',
  not_undoable: '`atrium batches` lists the batches that can be undone.',
  too_many_deletions: 'Check that the file is complete. If it is, raise --max-deletions.',
};

/** Prints an error with what to do next. @returns the exit code */
export function reportFailure(failure: unknown, asJson: boolean): ExitCode {
  const error = findCause(failure);
  const { message, status, code, requestId, details, retryAfter, address } = error as ServiceError;
  const isRejection = code === 'invalid_rows' || code === 'invalid_records';
  const exitCode =
    error instanceof UsageError
      ? error.exitCode
      : isRejection
        ? EXIT.rowsRejected
        : code === 'too_many_deletions'
          ? EXIT.guardExceeded
          : EXIT.failure;
  if (asJson) {
    const body = { status, code, message, requestId, details };
    process.stderr.write(`${JSON.stringify({ error: body }, null, 2)}\n`);
    return exitCode;
  }
  if (error instanceof UsageError) {
    writeText(process.stderr, `${message}\n`);
  } else if (status !== undefined) {
    const errors = (details?.errors ?? []).slice(0, MAX_LISTED);
    // Other details have a total of something else.
    const more = details?.errors ? (details.total ?? 0) - errors.length : 0;
    const listed = errors.map((entry) => `  ${formatPosition(entry)}: ${entry.message}`);
    const lines = [
      `${message} (${status} ${code ?? ''}${requestId ? `, request ${requestId}` : ''})`,
      // The message of a request with one error is often that of the error.
      ...(errors.length === 1 && errors[0]!.message === message ? [] : listed),
      ...(more > 0 ? [`  … and ${more} more.`] : []),
      ...(retryAfter === undefined ? [] : [`Try again in ${Math.ceil(retryAfter)} s.`]),
      ...(code && ADVICE[code] ? [ADVICE[code]] : []),
    ];
    writeText(process.stderr, `${lines.join('\n')}\n`);
  } else if (address !== undefined) {
    writeText(process.stderr, `${message}\nCheck that the service runs, and its address (--url, ATRIUM_URL).\n`);
  } else if (isFileError(error)) {
    writeText(process.stderr, `${error.path} cannot be ${error.syscall === 'open' ? 'opened' : 'used'}: ${message}\n`);
  } else {
    const { stack, message: unexpected } = error as Error;
    const text = process.env['ATRIUM_DEBUG'] ? stack : `Unexpected error: ${unexpected}. ATRIUM_DEBUG=1 prints where.`;
    writeText(process.stderr, `${text ?? String(error)}\n`);
  }
  return exitCode;
}

function isFileError(error: unknown): error is NodeJS.ErrnoException & { path: string } {
  const { path, syscall } = error as NodeJS.ErrnoException;
  return typeof path === 'string' && syscall !== undefined;
}

/** For example `line 12, key 10004711, column weight`. */
function formatPosition({ field, line, index, key, column, code }: ErrorEntry): string {
  const row = line === undefined ? (index === undefined ? undefined : `row ${index + 1}`) : `line ${line}`;
  return [field, row, key && `key ${key}`, column && `column ${column}`].filter(Boolean).join(', ') || code;
}
