import { setImmediate } from 'node:timers/promises';

/** Milliseconds of a slice. */
const SLICE_MS = 10;

/** Divides long work on the event loop into slices, between which the process serves other requests. */
export class WorkSlices {
  private startedAt = performance.now();

  /** Call it between steps of less than a slice. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.startedAt < SLICE_MS) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
