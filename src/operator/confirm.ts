import { createInterface } from 'node:readline/promises';

/**
 * Asks on the terminal before something is written.
 *
 * @throws Error if the answer is not yes, or without a terminal
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Error('Nothing was changed. Add --yes to apply it without a question.');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
  } finally {
    prompt.close();
  }
}
