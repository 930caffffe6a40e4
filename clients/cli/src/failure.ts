import type { AtriumError, ConnectionError } from '@atrium/client';
import { type ExitCode, exitCodeOf, findCause, UsageError } from './exit-codes.js';
import { describePathError } from './files/written-paths.js';
import type { Io } from './io.js';
import { type Output, writeText } from './output.js';

/** An error of the client, whose module is loaded only by commands that call the service. */
export type ServiceError = Error & Partial<Omit<AtriumError, keyof Error> & Pick<ConnectionError, 'address'>>;

/** An error of a request or of a row, of the service or as the service reports it. */
export interface ReportedError {
  field?: string;
  index?: number;
  line?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

export const isNotFound = (error: unknown): boolean => (error as ServiceError).status === 404;

const MAX_LISTED = 20;
/** Of requests without credentials. */
const TIMEOUT_MS = 5_000;

export const CHECK_ADDRESS = 'Check that the service runs, and its address (--url, ATRIUM_URL).';

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
};

/** Prints an error with what to do next. @returns the exit code */
export function reportFailure(failure: unknown, asJson: boolean, io: Io): ExitCode {
  const error = findCause(failure) as ServiceError;
  const { message, status, code, requestId, details } = error;
  const body = { status, code, message, requestId, details };
  if (asJson) io.stderr.write(`${JSON.stringify({ error: body }, null, 2)}\n`);
  else writeText(io.stderr, `${describeFailure(error, io)}\n`);
  return exitCodeOf({ error });
}

export function describeFailure(error: ServiceError, io: Io): string {
  const { message, stack, status, address } = error;
  if (error instanceof UsageError || error.name === 'LockError') return message;
  if (status !== undefined) return describeResponse(error).join('\n');
  if (address !== undefined) return `${message}\n${CHECK_ADDRESS}`;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && syscall !== undefined) return describePathError(error, path, io);
  return (io.env['ATRIUM_DEBUG'] && stack) || `Unexpected error: ${message}. ATRIUM_DEBUG=1 prints where.`;
}

function describeResponse({
  message,
  status,
  code = 'unknown',
  requestId,
  details,
  retryAfter,
}: ServiceError): string[] {
  const errors = (details?.errors ?? []).slice(0, MAX_LISTED);
  // Other details have a total of something else.
  const more = details?.errors ? (details.total ?? 0) - errors.length : 0;
  const listed = errors.map((entry) => `  ${formatRowError(entry)}`);
  // The message names a field of the JSON, which people see as lines, and a parameter, which is a flag.
  const readable = message.replaceAll('details.errors', 'the list below').replace('"maxDeletions"', '--max-deletions');
  const lines = [`${readable} (${status} ${code}${requestId ? `, request ${requestId}` : ''})`];
  // The message of a request with one error is often that of the error.
  if (errors.length !== 1 || errors[0]!.message !== message) lines.push(...listed);
  if (more > 0) lines.push(`  … and ${more} more.`);
  if (retryAfter !== undefined) lines.push(`Try again in ${Math.ceil(retryAfter)} s.`);
  if (ADVICE[code]) lines.push(ADVICE[code]);
  return lines;
}

/** Why a request has no response. The message of `fetch` is always "fetch failed"; its cause contains the reason. */
export function describeCause(error: unknown, timeoutMs: number): string {
  const { name, cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1_000} s`;
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Reads JSON of the service without credentials.
 *
 * @param advice what to do without a response
 * @returns undefined for any other response
 * @throws {UsageError} without a response
 */
export async function fetchJson<Data>(url: string, path: string, advice: string): Promise<Data | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`${url}${path}`, { signal, redirect: 'error' }).catch((error: unknown) => {
    throw new UsageError(`No response from ${url} (${describeCause(error, TIMEOUT_MS)}). ${advice}`);
  });
  const isJson = response.status === 200 && /json/.test(response.headers.get('content-type') ?? '');
  return isJson ? ((await response.json()) as Data) : undefined;
}

/** For example `line 12, key 10004711, column weight: "heavy" is not a number.` */
export function formatRowError(error: ReportedError): string {
  const position = `${formatPosition(error)}: `;
  // Messages about notes name the field.
  return error.message.startsWith(position) ? error.message : position + error.message;
}

function formatPosition({ field, line, index, key, column, code }: ReportedError): string {
  const row = line === undefined ? index !== undefined && `row ${index + 1}` : `line ${line}`;
  return [field, row, key && `key ${key}`, column && `column ${column}`].filter(Boolean).join(', ') || code;
}

/** Prints what is stored although something about it is probably wrong. */
export function printWarnings(warnings: readonly ReportedError[] = [], output: Output): void {
  for (const warning of warnings) output.remark(`warning, ${formatRowError(warning)}`);
}
