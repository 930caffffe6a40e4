import type { Call } from './transport.js';

export type CallOptions = Omit<Call, 'method'>;

/** What the clients of tables, notes and imports need. */
export interface ApiCaller {
  readonly baseUrl: string;
  readonly workspacePath: string;
  readonly tablesPath: string;
  json<Data>(method: string, path: string, call?: CallOptions): Promise<Data>;
  request(method: string, path: string, call?: CallOptions): Promise<Response>;
  pages<Entry>(path: string, options?: { signal?: AbortSignal | undefined }): AsyncGenerator<Entry, void>;
}
