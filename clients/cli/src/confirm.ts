import type { Context } from './context.js';
import { EXIT, UsageError } from './exit-codes.js';
import { ask } from './prompt.js';

interface Confirmation {
  /** The user has answered in advance. */
  yes?: boolean | undefined;
  /** Without a terminal, the command goes on without the question. Otherwise it fails. */
  isOptional?: boolean;
}

/** Can a question be asked? Otherwise a command goes on without it, or fails if the answer is required. */
export function canAsk({ io, output }: Pick<Context, 'io' | 'output'>): boolean {
  return (io.stdin.isTTY ?? false) && output.isInteractive;
}

/** @throws {UsageError} if no question can be asked */
export function requireTerminal(context: Pick<Context, 'io' | 'output'>): void {
  if (!canAsk(context))
    throw new UsageError(
      'Nothing was changed. Add --yes to apply it without a question.',
      EXIT.failure,
      'not_confirmed',
    );
}

/**
 * Asks before something is written.
 *
 * @throws {UsageError} if the answer is not yes, or is required and there is no terminal
 */
export async function confirm(
  question: string,
  context: Pick<Context, 'io' | 'output' | 'signal'>,
  { yes = false, isOptional = false }: Confirmation,
): Promise<void> {
  if (yes || (isOptional && !canAsk(context))) return;
  requireTerminal(context);
  const answer = await ask(`${question} [y/N] `, context.io, { signal: context.signal });
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new UsageError('Nothing was changed.');
}
