import type { ApiCaller } from './api-caller.js';
import type { ImportRecord } from './models.js';
import { sleep } from './sleep.js';

/** Imports of the workspace, by their ID. */
export class ImportsClient {
  constructor(private readonly client: ApiCaller) {}

  /** @throws {NotFoundError} */
  get(id: string, { signal }: { signal?: AbortSignal } = {}): Promise<ImportRecord> {
    return this.client.json('GET', `${this.client.tablesPath}/imports/${encodeURIComponent(id)}`, { signal });
  }

  cancel(id: string): Promise<ImportRecord> {
    return this.client.json('DELETE', `${this.client.tablesPath}/imports/${encodeURIComponent(id)}`);
  }

  /** Waits until the import has ended. @throws {NotFoundError} */
  async wait(
    id: string,
    { signal, pollMs = 500 }: { signal?: AbortSignal; pollMs?: number } = {},
  ): Promise<ImportRecord> {
    for (;;) {
      const record = await this.get(id, signal ? { signal } : {});
      if (['succeeded', 'failed', 'cancelled'].includes(record.status)) return record;
      await sleep(pollMs, signal);
    }
  }
}
