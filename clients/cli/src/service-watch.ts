import { describeCause } from './failure.js';
import type { Output } from './output.js';

/** Between the questions whether the service runs, while a request has no response. */
const PROBE_INTERVAL_MS = 1_500;
const PROBE_TIMEOUT_MS = 2_000;
/** A single lost connection is not reported. */
const MAX_FAILING_MS = 1_500;

/**
 * Reports within five seconds that the service does not respond: what a load has stored so far, and how to continue it.
 * Requests are repeated meanwhile, so that a command survives a restart of the service.
 */
export class ServiceWatch {
  /** Of a load that is in progress. */
  describeState: () => string | undefined = () => undefined;
  private failingSince: number | undefined;
  private isReported = false;
  private isProbing = false;

  constructor(
    private readonly address: string,
    private readonly output: Output,
  ) {}

  /** The `fetch` of the client. */
  readonly fetch: typeof fetch = async (input, init) => {
    const timer = setInterval(() => void this.probe(init?.signal), PROBE_INTERVAL_MS);
    try {
      const response = await fetch(input, init);
      this.noteResponse();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) this.noteFailure(error);
      throw error;
    } finally {
      clearInterval(timer);
    }
  };

  /** A request may take long; a service that runs answers this one at once. */
  private async probe(signal: AbortSignal | null | undefined): Promise<void> {
    if (this.isProbing || signal?.aborted) return;
    this.isProbing = true;
    try {
      const limit = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const response = await fetch(`${this.address}/health/live`, { signal: limit, redirect: 'manual' });
      await response.body?.cancel();
      this.noteResponse();
    } catch (error) {
      if (!signal?.aborted) this.report(error);
    } finally {
      this.isProbing = false;
    }
  }

  private noteResponse(): void {
    if (this.isReported) this.output.remark('The service responds again.');
    this.isReported = false;
    this.failingSince = undefined;
  }

  private noteFailure(error: unknown): void {
    this.failingSince ??= Date.now();
    if (Date.now() - this.failingSince >= MAX_FAILING_MS) this.report(error);
  }

  private report(error: unknown): void {
    if (this.isReported) return;
    this.isReported = true;
    const cause = describeCause(error, PROBE_TIMEOUT_MS);
    const state = this.describeState();
    this.output.remark(
      [
        `No response from ${this.address} (${cause}). The request is repeated for half a minute; Ctrl-C ends the command.`,
        ...(state === undefined ? [] : [state]),
      ].join('\n'),
    );
  }
}
