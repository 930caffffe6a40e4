import { redactSecrets } from '../../packages/json/src/redact-secrets.js';
import { formatForTerminal } from '../../packages/tabular/src/terminal-text.js';
import { DomainError } from '../../packages/errors/src/domain-error.js';
import { EnvironmentError } from '../platform/config/environment-error.js';
import { isDatabaseUnavailable } from '../platform/database/database.errors.js';

/** Prints one line per error, without a stack. @returns the exit code. */
export function reportFailure(error: unknown): number {
  for (const line of toLines(error)) process.stderr.write(`error: ${formatForTerminal(redactSecrets(line))}\n`);
  return 1;
}

function toLines(error: unknown): string[] {
  if (error instanceof EnvironmentError) return error.errors;
  const message = toMessage(error);
  if (error instanceof DomainError) return [message];
  return [isDatabaseUnavailable(error) ? `The database is unavailable: ${message}` : message];
}

/** A host name with several addresses fails with one error per address. */
function toMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return toMessage(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
