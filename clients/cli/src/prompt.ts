import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { formatLinesForTerminal } from '../../../packages/tabular/src/terminal-text.js';
import { InterruptedError } from './exit-codes.js';
import type { Io } from './io.js';

export interface Question {
  /** The answer is not shown. */
  isSecret?: boolean;
  /** Ends the question when it is aborted. */
  signal?: AbortSignal;
}

/**
 * Asks on the terminal.
 *
 * @returns undefined if the input has ended (Ctrl-D)
 * @throws {InterruptedError} after Ctrl-C
 */
export function ask(
  question: string,
  io: Io,
  { isSecret = false, signal }: Question = {},
): Promise<string | undefined> {
  if (signal?.aborted) return Promise.reject(new InterruptedError());
  const text = formatLinesForTerminal(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve, reject) => {
    const prompt = createInterface({
      input: io.stdin,
      output: isSecret ? hidden : io.stderr,
      terminal: true,
      historySize: 0,
    });
    let answer: string | undefined;
    let isInterrupted = false;
    const interrupt = (): void => {
      isInterrupted = true;
      prompt.close();
    };
    signal?.addEventListener('abort', interrupt);
    prompt.once('SIGINT', interrupt);
    prompt.once('line', (line) => {
      answer = line;
      prompt.close();
    });
    prompt.once('close', () => {
      signal?.removeEventListener('abort', interrupt);
      if (isSecret || answer === undefined) io.stderr.write('\n');
      if (isInterrupted) reject(new InterruptedError());
      else resolve(answer);
    });
    if (isSecret) io.stderr.write(text);
    prompt.setPrompt(isSecret ? '' : text);
    prompt.prompt();
  });
}
