import type { ApiCaller } from './api-caller.js';
import { parseLines } from './byte-stream.js';
import type { ImportRecord, RowError } from './models.js';
import { sleep } from './sleep.js';

/** Imports of the workspace, by their ID. */
export class ImportsClient {
  readonly #client: ApiCaller;

  constructor(client: ApiCaller) {
    this.#client = client;
  }

  /** @throws {NotFoundError} */
  get(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<ImportRecord> {
    return this.#client.json('GET', `${this.#client.tablesPath}/imports/${encodeURIComponent(id)}`, { signal });
  }

  cancel(id: string): Promise<ImportRecord> {
    return this.#client.json('DELETE', `${this.#client.tablesPath}/imports/${encodeURIComponent(id)}`);
  }

  /** All errors of an import, each with the rejected row as it was sent. @throws {NotFoundError} */
  async *errors(
    id: string,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<RowError & { sent: string }, void> {
    const path = `${this.#client.tablesPath}/imports/${encodeURIComponent(id)}/errors`;
    const headers = { accept: 'application/x-ndjson' };
    const response = await this.#client.request('GET', path, { headers, stream: true, signal });
    yield* parseLines(response.body as ReadableStream<Uint8Array>);
  }

  /** Waits until the import has ended. @throws {NotFoundError} */
  async wait(
    id: string,
    { signal, pollMs = 500 }: { signal?: AbortSignal; pollMs?: number } = {},
  ): Promise<ImportRecord> {
    for (;;) {
      const record = await this.get(id, signal ? { signal } : {});
      if (['succeeded', 'proposed', 'failed', 'cancelled'].includes(record.status)) return record;
      await sleep(pollMs, signal);
    }
  }
}
