import { DomainError } from '../platform/http/domain-error.js';
import { EnvironmentError } from '../platform/config/environment.js';
import { isDatabaseUnavailable } from '../platform/database/database.errors.js';

/** Tells the operator what went wrong, a line a fault and never a stack. @returns the exit code. */
export function reportFailure(error: unknown): number {
  for (const line of linesOf(error)) process.stderr.write(`error: ${line}\n`);
  return 1;
}

function linesOf(error: unknown): string[] {
  if (error instanceof EnvironmentError) return error.errors;
  const message = messageOf(error);
  if (error instanceof DomainError) return [message];
  return [isDatabaseUnavailable(error) ? `The database is out of reach: ${message}` : message];
}

/** A host of several addresses fails with one error an address, and with no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
