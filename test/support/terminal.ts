import type { ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { until } from './until.js';

/** A command on a terminal, whose questions a test answers. */
export class Terminal {
  /** All that the terminal shows, also what was typed. */
  shown = '';
  /** The exit code. */
  readonly ended: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk: Buffer) => (this.shown += stripVTControlCharacters(chunk.toString())));
    this.ended = new Promise((settle) => child.once('close', settle));
  }

  /** Types a text after a question. `\x03` is Ctrl-C. */
  async answer(question: string, text: string): Promise<void> {
    const isShown = (): boolean => this.shown.slice(this.answered).includes(question);
    await until(isShown, Boolean);
    this.answered = this.shown.length;
    this.child.stdin!.write(text);
  }

  private answered = 0;
}
