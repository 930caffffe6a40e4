import createClient, { type Client } from 'openapi-fetch';
import type { ApiCaller, CallOptions } from './api-caller.js';
import { BatchesClient } from './batches.js';
import { BulkLoad, type BulkOptions, type BulkReport, type BulkTable } from './bulk.js';
import { type EventOptions, readEvents } from './events.js';
import { ImportsClient } from './imports.js';
import type { Entity, SearchResult, TableSummary, Value, WorkspaceEvent } from './models.js';
import { NotesClient } from './notes.js';
import { ProposalsClient } from './proposals.js';
import type { paths } from './openapi-types.js';
import type { SearchOptions } from './query.js';
import { MemoryTokenStore, SessionAuthorization, type TokenSource, type TokenStore } from './session.js';
import { TableClient } from './table.js';
import { type Authorization, Transport, type TransportOptions } from './transport.js';
import type { DataOf, EntryOf, InitOf, PathOf } from './typed-paths.js';

export type { UndoOptions } from './batches.js';
export type { DecisionOptions } from './proposals.js';
export * from './bulk.js';
export type { ImportSource } from './byte-stream.js';
export * from './error-codes.js';
export * from './errors.js';
export type { EventOptions } from './events.js';
export type * from './import-options.js';
export type * from './models.js';
export type { Upload } from './notes.js';
export type { components, paths } from './openapi-types.js';
export type {
  AggregateGroup,
  AggregateQuery,
  Condition,
  Filter,
  Measure,
  Moment,
  RowQuery,
  SearchOptions,
} from './query.js';
export type { DifferenceOptions, RestoreOptions } from './row-history.js';
export { MemoryTokenStore, type Tokens, type TokenSource, type TokenStore } from './session.js';
export {
  TableClient,
  type ChangeOptions,
  type DeletionSums,
  type GetOptions,
  type ReadOptions,
  type WrittenRow,
} from './table.js';
export type { TransportOptions } from './transport.js';
export { InvalidValueError } from './row-json.js';
export { InvalidWebhookError, verifyWebhook } from './webhook-signature.js';

export interface AtriumClientOptions extends TransportOptions {
  clientId?: string;
  clientSecret?: string;
  /** Scopes of the session; `api` by default. */
  scope?: string[];
  /** A static API key, instead of client credentials. */
  apiKey?: string;
  /** An access token that the program has obtained itself, instead of client credentials. It is not renewed. */
  accessToken?: string;
  /** Obtains and renews access tokens, instead of client credentials. */
  tokenSource?: TokenSource;
  /** The workspace of tables and notes. */
  workspaceId?: string;
  /** Shares the session with other processes (`FileTokenStore` of `@atrium/client/node`). */
  tokenStore?: TokenStore;
}

/** `data` of a list. */
interface Page<Entry> {
  items: Entry[];
  nextCursor?: string | null;
}

const SURFACES = ['location', 'asset', 'list'] as const;

/**
 * A client of the Atrium API. It signs in with the first request, renews its session and repeats requests that were
 * rejected temporarily or lost. End it with `signOut()`: a user has at most ten sessions.
 */
export class AtriumClient implements ApiCaller {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly notes: NotesClient;
  readonly imports: ImportsClient;
  readonly batches: BatchesClient;
  readonly proposals: ProposalsClient;
  // Fields of the language: `private` ones would show credentials in the logs of programs.
  readonly #transport: Transport;
  readonly #authorization: Authorization;
  readonly #typed: Client<paths>;
  readonly #workspaceId: string | undefined;

  constructor(options: AtriumClientOptions) {
    this.#workspaceId = options.workspaceId;
    this.#transport = new Transport(options);
    this.baseUrl = this.#transport.baseUrl;
    this.#authorization = createAuthorization(options, this.#transport);
    this.notes = new NotesClient(this);
    this.imports = new ImportsClient(this);
    this.batches = new BatchesClient(this);
    this.proposals = new ProposalsClient(this);
    this.#typed = createClient<paths>({ baseUrl: this.baseUrl, fetch: (request) => this.forward(request) });
  }

  locations<Row extends object = Record<string, Value>>(table: string): TableClient<Row> {
    return new TableClient(this, 'location', table);
  }

  assets<Row extends object = Record<string, Value>>(table: string): TableClient<Row> {
    return new TableClient(this, 'asset', table);
  }

  lists<Row extends object = Record<string, Value>>(table: string): TableClient<Row> {
    return new TableClient(this, 'list', table);
  }

  table<Row extends object = Record<string, Value>>(entity: Entity, table: string): TableClient<Row> {
    return new TableClient(this, entity, table);
  }

  /** All tables of the workspace. */
  async *tables(): AsyncGenerator<TableSummary, void> {
    for (const entity of SURFACES) yield* this.pages<TableSummary>(`${this.tablesPath}/${entity}s`);
  }

  /** Searches rows, notes, projects, tours and tags of the workspace, also with typing errors. */
  search(q: string, { kinds, tables, limit, signal }: SearchOptions = {}): Promise<SearchResult> {
    const query = new URLSearchParams({ q });
    if (kinds) query.set('kinds', kinds.join());
    if (tables) query.set('tables', tables.join());
    if (limit !== undefined) query.set('limit', String(limit));
    return this.json<SearchResult>('GET', `${this.workspacePath}/search?${query.toString()}`, { signal });
  }

  /** Events of the workspace in their order; with `follow` also future ones. @throws {AtriumError} 410 */
  events(options: EventOptions = {}): AsyncGenerator<WorkspaceEvent, void> {
    return readEvents(this, options);
  }

  /**
   * Creates or updates rows of several tables, in chunks. The tables are loaded one after the other.
   *
   * @throws {InvalidRowsError}
   */
  bulk<Item = Record<string, Value>>(tables: BulkTable<Item>[], options: BulkOptions<Item> = {}): Promise<BulkReport> {
    return new BulkLoad(this, options).run(tables);
  }

  /** @returns `data` of the response @throws {AtriumError | ConnectionError | RedirectError} */
  get<P extends PathOf<'get'>>(path: P, ...init: InitArguments<'get', P>): Promise<DataOf<'get', P>> {
    return this.call('GET', path, init);
  }

  post<P extends PathOf<'post'>>(path: P, ...init: InitArguments<'post', P>): Promise<DataOf<'post', P>> {
    return this.call('POST', path, init);
  }

  put<P extends PathOf<'put'>>(path: P, ...init: InitArguments<'put', P>): Promise<DataOf<'put', P>> {
    return this.call('PUT', path, init);
  }

  patch<P extends PathOf<'patch'>>(path: P, ...init: InitArguments<'patch', P>): Promise<DataOf<'patch', P>> {
    return this.call('PATCH', path, init);
  }

  delete<P extends PathOf<'delete'>>(path: P, ...init: InitArguments<'delete', P>): Promise<DataOf<'delete', P>> {
    return this.call('DELETE', path, init);
  }

  /** All entries of a list, read page by page. */
  async *paginate<P extends PathOf<'get'>>(
    path: P,
    ...init: InitArguments<'get', P>
  ): AsyncGenerator<EntryOf<P>, void> {
    const options = (init[0] ?? {}) as { params?: { query?: object } };
    let query: object = { ...options.params?.query };
    let cursor: string | undefined;
    do {
      const params = { ...options.params, query };
      const page = (await this.call('GET', path, [{ ...options, params }])) as Page<EntryOf<P>>;
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
      query = { ...query, cursor };
    } while (cursor !== undefined);
  }

  /** All entries of a list whose path is not typed. */
  async *pages<Entry>(
    path: string,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<Entry, void> {
    let cursor: string | undefined;
    do {
      const url = new URL(this.baseUrl + path);
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      const page = await this.json<Page<Entry>>('GET', url.href, { signal });
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** A request whose path is not typed. A text is sent as JSON. @returns `data` of the response */
  async json<Data>(method: string, path: string, call: CallOptions = {}): Promise<Data> {
    const headers = new Headers(call.headers);
    if (typeof call.body === 'string' && !headers.has('content-type')) headers.set('content-type', 'application/json');
    const response = await this.request(method, path, { ...call, headers });
    return ((await response.json()) as { data: Data }).data;
  }

  /** A request whose path is not typed, with its response. @throws {AtriumError | ConnectionError | RedirectError} */
  request(method: string, path: string, call: CallOptions = {}): Promise<Response> {
    return this.#transport.send(path, { ...call, method }, this.#authorization);
  }

  /** The headers with the current credentials, for requests of other programs. A session is renewed if necessary. */
  credentials(): Promise<Record<string, string>> {
    return this.#authorization.headers();
  }

  /** Ends the session, if there is one. Never fails. */
  async signOut(): Promise<void> {
    await this.#authorization.signOut?.();
  }

  /** @throws {Error} if the client has no `workspaceId` */
  get workspacePath(): string {
    if (!this.#workspaceId) throw new Error('Set workspaceId: tables and notes belong to a workspace.');
    return `/v2/api/workspaces/${encodeURIComponent(this.#workspaceId)}`;
  }

  get tablesPath(): string {
    return `${this.workspacePath}/cw`;
  }

  private async call<Data>(method: string, path: string, [init]: unknown[]): Promise<Data> {
    type Request = (method: string, path: string, init: unknown) => Promise<{ data?: unknown }>;
    const { data } = await (this.#typed.request as unknown as Request)(method.toLowerCase(), path, init ?? {});
    return (typeof data === 'object' && data !== null && 'data' in data ? data.data : data) as Data;
  }

  /** Requests of openapi-fetch, which has read the parameters of the path and serialized the body. */
  private async forward(request: Request): Promise<Response> {
    const { method, headers, signal, url } = request;
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    return this.#transport.send(url, { method, headers, body, signal }, this.#authorization);
  }
}

type InitArguments<M extends 'get' | 'post' | 'put' | 'patch' | 'delete', P extends keyof paths> =
  undefined extends InitOf<M, P> ? [init?: InitOf<M, P>] : [init: InitOf<M, P>];

function createAuthorization(options: AtriumClientOptions, transport: Transport): Authorization {
  const { accessToken, apiKey, clientId, clientSecret, scope, tokenSource, tokenStore } = options;
  if (apiKey) return { headers: () => Promise.resolve({ 'x-api-key': apiKey }) };
  if (accessToken) return { headers: () => Promise.resolve(toBearer(accessToken)) };
  if (tokenSource)
    return {
      headers: async () => toBearer(await tokenSource.getAccessToken()),
      signOut: () => tokenSource.signOut(),
    };
  if (!clientId || !clientSecret)
    throw new Error('Set clientId and clientSecret, apiKey, accessToken, or tokenSource.');
  const credentials = scope ? { clientId, clientSecret, scope } : { clientId, clientSecret };
  return new SessionAuthorization(transport, credentials, tokenStore ?? new MemoryTokenStore());
}

const toBearer = (token: string) => ({ authorization: `Bearer ${token}` });
