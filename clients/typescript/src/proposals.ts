import type { ApiCaller } from './api-caller.js';
import { readDifferences } from './differences.js';
import type { Proposal, ProposedChange, ProposalStatus, ProposalSummary } from './models.js';
import { sleep } from './sleep.js';

interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface DecisionOptions extends CallOptions {
  /** For the author of the load. */
  comment?: string | undefined;
}

/** Loads of the workspace that wait for approval. */
export class ProposalsClient {
  readonly #client: ApiCaller;

  constructor(client: ApiCaller) {
    this.#client = client;
  }

  private get path(): string {
    return `${this.#client.tablesPath}/proposals`;
  }

  /** The newest first. */
  list({ status, signal }: CallOptions & { status?: ProposalStatus | undefined } = {}): AsyncGenerator<Proposal, void> {
    return this.#client.pages(status === undefined ? this.path : `${this.path}?status=${status}`, { signal });
  }

  /** @throws {NotFoundError} */
  get(id: string, { signal }: CallOptions = {}): Promise<Proposal> {
    return this.#client.json('GET', this.pathOf(id), { signal });
  }

  /** The changed rows, by table and key. @throws {NotFoundError | ConnectionError} */
  async *differences(
    id: string,
    { onSummary, signal }: CallOptions & { onSummary?: (summary: ProposalSummary) => void } = {},
  ): AsyncGenerator<ProposedChange, void> {
    const headers = { accept: 'application/x-ndjson' };
    const response = await this.#client.request('GET', this.pathOf(id, 'differences'), {
      headers,
      stream: true,
      signal,
    });
    yield* readDifferences<ProposedChange, ProposalSummary>(this.#client, response, onSummary);
  }

  /**
   * Stores exactly the changes that were compared.
   *
   * @throws {ConflictError} `proposal_outdated` with the changed rows in `details.errors`, `proposal_decided`
   * @throws {AtriumError} `own_proposal`
   */
  approve(id: string, { comment, signal }: DecisionOptions = {}): Promise<Proposal> {
    return this.decide(id, 'approve', comment, signal);
  }

  /** @throws {ConflictError} `proposal_decided` */
  reject(id: string, { comment, signal }: DecisionOptions = {}): Promise<Proposal> {
    return this.decide(id, 'reject', comment, signal);
  }

  /** Compares the proposed values with the stored rows again. @throws {ConflictError} */
  compare(id: string, { signal }: CallOptions = {}): Promise<Proposal> {
    return this.#client.json('POST', this.pathOf(id, 'compare'), { signal });
  }

  /** Waits until the proposal is approved, rejected or expired. @throws {NotFoundError} */
  async wait(id: string, { signal, pollMs = 5_000 }: CallOptions & { pollMs?: number } = {}): Promise<Proposal> {
    for (;;) {
      const proposal = await this.get(id, { signal });
      if (proposal.status !== 'pending') return proposal;
      await sleep(pollMs, signal);
    }
  }

  private decide(
    id: string,
    action: 'approve' | 'reject',
    comment: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Proposal> {
    const body = JSON.stringify(comment === undefined ? {} : { comment });
    return this.#client.json('POST', this.pathOf(id, action), { body, signal });
  }

  private pathOf(id: string, action?: string): string {
    return `${this.path}/${encodeURIComponent(id)}${action === undefined ? '' : `/${action}`}`;
  }
}
