/** How long a row waits for the statement before it, which may wait for the lock of the table, in milliseconds. */
const MAX_WAIT_MS = 20;

/** What a queue does with its rows. */
export interface QueueOwner<Row> {
  /** Statements that may run at a time. */
  readonly limit: number;
  /** Selects the rows of the next statement. @param pending at least one row. @returns at least one of them. */
  select(pending: readonly Row[]): ReadonlySet<Row>;
  /**
   * Writes the rows and reports the result to each. Never rejects.
   *
   * @returns the error that the pending rows would receive too.
   */
  write(rows: ReadonlySet<Row>): Promise<Error | undefined>;
  reject(row: Row, failure: Error): void;
  /** The queue is idle. */
  onIdle(): void;
}

/**
 * Rows that wait to be written by the next statement. It is always in one of these states:
 *
 * | State      | Pending rows | Running statements | Timer |
 * | ---------- | ------------ | ------------------ | ----- |
 * | idle       | none         | none               | none  |
 * | writing    | none         | at least one       | none  |
 * | collecting | at least one | fewer than `limit` | runs  |
 * | full       | at least one | at least one       | none  |
 *
 * A statement starts with the first row, at the end of another statement, and when the timer ends. So a timer runs only
 * while rows are pending: whatever removes the last pending row also stops the timer.
 */
export class RowQueue<Row> {
  private pending: Row[] = [];
  private running = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly owner: QueueOwner<Row>) {}

  add(row: Row): void {
    this.pending.push(row);
    if (this.running === 0) this.start();
    else if (this.running < this.owner.limit) this.timer ??= setTimeout(() => this.start(), MAX_WAIT_MS);
  }

  /** From "collecting" and "full", and with the first row. */
  private start(): void {
    this.stopTimer();
    const rows = this.owner.select(this.pending);
    this.pending = this.pending.filter((row) => !rows.has(row));
    this.running++;
    void this.owner.write(rows).then((failure) => this.finish(failure));
  }

  private finish(failure: Error | undefined): void {
    this.running--;
    if (failure) this.rejectPending(failure);
    if (this.pending.length > 0) this.start();
    else if (this.running === 0) this.owner.onIdle();
  }

  /** To "writing" or "idle". */
  private rejectPending(failure: Error): void {
    this.stopTimer();
    const rejected = this.pending;
    this.pending = [];
    for (const row of rejected) this.owner.reject(row, failure);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
