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
export async function ask(
  question: string,
  io: Io,
  { isSecret = false, signal }: Question = {},
): Promise<string | undefined> {
  if (signal?.aborted) throw new InterruptedError();
  const interruption = new AbortController();
  const ended = signal ? AbortSignal.any([signal, interruption.signal]) : interruption.signal;
  const text = formatLinesForTerminal(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isSecret ? hidden : io.stderr;
  const prompt = createInterface({ input: io.stdin, output, terminal: true, historySize: 0, signal: ended });
  prompt.once('SIGINT', () => interruption.abort());
  const lines = prompt[Symbol.asyncIterator]();
  if (isSecret) io.stderr.write(text);
  prompt.setPrompt(isSecret ? '' : text);
  prompt.prompt();
  const { value: answer } = (await lines.next()) as { value?: string };
  prompt.close();
  if (isSecret || answer === undefined) io.stderr.write('\n');
  if (ended.aborted) throw new InterruptedError();
  return answer;
}
