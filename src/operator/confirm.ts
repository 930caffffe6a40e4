import { createInterface } from 'node:readline/promises';
import { formatLinesForTerminal } from '../../packages/tabular/src/terminal-text.js';

/**
 * Asks on the terminal before something is written.
 *
 * @throws Error if the answer is not yes, or without a terminal
 */
export async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N] `);
  if (answer === undefined) throw new Error('Nothing was changed. Add --yes to apply it without a question.');
  if (!/^y(es)?$/i.test(answer)) throw new Error('Nothing was changed.');
}

/** @returns undefined without a terminal. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(formatLinesForTerminal(question))).trim();
  } finally {
    terminal.close();
  }
}
