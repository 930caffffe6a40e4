import { createInterface } from 'node:readline/promises';
import { formatLinesForTerminal } from '../../../packages/tabular/src/terminal-text.js';
import type { Context } from './context.js';
import { UsageError } from './exit-codes.js';

export interface Confirmation {
  yes?: boolean;
  /** Without a terminal, the command fails unless `--yes` is set. */
  isRequired?: boolean;
}

/**
 * Asks before something is written.
 *
 * @throws {UsageError} if the answer is not yes, or is required and there is no terminal
 */
export async function confirm(
  question: string,
  { output }: Pick<Context, 'output'>,
  { yes = false, isRequired = false }: Confirmation,
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !output.isInteractive) {
    if (isRequired) throw new UsageError('Nothing was changed. Add --yes to apply it without a question.');
    return;
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D are answers, too.
  const answer = await prompt.question(`${formatLinesForTerminal(question)} [y/N] `).catch(() => {
    process.stderr.write('\n');
    return '';
  });
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was changed.');
}
