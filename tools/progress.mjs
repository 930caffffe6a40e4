/** How often a step reports, in milliseconds: a terminal replaces the line, a file gets a line each time. */
const INTERVAL_MS = process.stderr.isTTY ? 100 : 3_000;

/** Prints the title of a step of the build, and its duration. */
export class Step {
  #startedAt = Date.now();
  #reportedAt = Date.now();
  #title;

  constructor(title) {
    this.#title = title;
    this.#print(' …', '\n');
  }

  /** Prints how long the step has taken so far, at most once per interval. */
  report() {
    if (Date.now() - this.#reportedAt < INTERVAL_MS) return;
    this.#reportedAt = Date.now();
    this.#print(` … ${this.#elapsed()}`, '\n');
  }

  end() {
    this.#print(`: ${this.#elapsed()}`, '\n', '\n');
  }

  #elapsed() {
    return `${((Date.now() - this.#startedAt) / 1000).toFixed(1)} s`;
  }

  /** @param end of the line in a file; `terminalEnd` on a terminal, where the next text may replace the line. */
  #print(text, end, terminalEnd = '') {
    const line = `${this.#title}${text}`;
    process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}${terminalEnd}` : `${line}${end}`);
  }
}
