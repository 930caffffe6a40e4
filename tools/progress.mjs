/** How often a step reports, in milliseconds: a terminal replaces the line, a file gets a line each time. */
const INTERVAL_MS = process.stderr.isTTY ? 100 : 3_000;

/** Prints the title of a step of the build, how far it is, and its duration. */
export class Step {
  #startedAt = Date.now();
  #reportedAt = Date.now();
  #title;

  constructor(title) {
    this.#title = title;
    this.#print(' …', '\n');
  }

  /** @param state such as `120 of 400 files`. The text is printed at most once per interval. */
  report(state) {
    if (Date.now() - this.#reportedAt < INTERVAL_MS) return;
    this.#reportedAt = Date.now();
    this.#print(` … ${state}`, '\n');
  }

  end() {
    this.#print(`: ${((Date.now() - this.#startedAt) / 1000).toFixed(1)} s`, '\n', '\n');
  }

  /** @param end of the line in a file; `terminalEnd` on a terminal, where the next text may replace the line. */
  #print(text, end, terminalEnd = '') {
    const line = `${this.#title}${text}`;
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}${terminalEnd}` : `${line}${end}`);
  }
}
