import { BulkLoad, type BulkOptions, type BulkReport } from './bulk.js';
import { type ImportSource, parseLines, toBody, toByteSource, toForm } from './byte-stream.js';
import type { ApiCaller } from './api-caller.js';
import { readDifferences } from './differences.js';
import {
  type CompareOptions,
  type ComparisonSummary,
  type FileFormat,
  type ImportOptions,
  MEDIA_TYPES,
  toFileRequest,
} from './import-options.js';
import type {
  Change,
  ColumnDefinition,
  DeletionReport,
  Difference,
  DifferenceSummary,
  Entity,
  ImportReport,
  RenamedRow,
  RowDifference,
  RowHistoryEntry,
  Table,
  UpsertReport,
  Value,
} from './models.js';
import { MAX_PAGE_ROWS, MAX_REQUEST_ROWS } from './limits.js';
import {
  type AggregateGroup,
  type AggregateQuery,
  formatMoment,
  type Moment,
  type RowQuery,
  toSearchParams,
} from './query.js';
import { type DifferenceOptions, type RestoreOptions, toDifferenceParams, toRestoreJson } from './row-history.js';
import { toRowJson } from './row-json.js';
import { sleep } from './sleep.js';

const SURFACES = { location: 'locations', asset: 'assets', list: 'lists' } as const;

export interface ReadOptions<Row> extends RowQuery<Row> {
  /** Rows per page, at most `MAX_PAGE_ROWS`. */
  limit?: number;
  signal?: AbortSignal;
}

export interface GetOptions {
  asOf?: Moment | undefined;
  signal?: AbortSignal | undefined;
}

export interface ChangeOptions {
  /** The revision of the replica; 0 for all rows. */
  since: number;
  /** Waits for further changes until the signal is aborted or the loop ends. */
  follow?: boolean;
  /** Time between two requests if there are no changes. */
  pollMs?: number;
  /** Receives the columns that were added since, before the changes: they are empty in all rows without a change. */
  onAddedColumns?: (keys: string[]) => void;
  /** Receives the revision from which the next call continues. */
  onRevision?: (revision: number) => void;
  signal?: AbortSignal;
}

export interface UpsertOptions<Row> extends BulkOptions<Row> {
  /** Creates the table, or adds columns. */
  columns?: ColumnDefinition[];
}

export interface DropOptions {
  /** The `ETag` of the table, or its revision: another version is not dropped. */
  ifMatch?: string | number | undefined;
}

/** The sums of the requests that delete rows. */
export interface DeletionSums {
  totals: DeletionReport['totals'];
  batchIds: string[];
  proposalIds: string[];
}

export type WrittenRow<Row> = { item: Row; revision?: number } & Record<string, unknown>;

/** The rows of one table. */
export class TableClient<Row extends object = Record<string, Value>> {
  readonly path: string;
  readonly #client: ApiCaller;

  /** @param name the name or the ID of the table */
  constructor(
    client: ApiCaller,
    readonly entity: Entity,
    readonly name: string,
  ) {
    this.#client = client;
    this.path = `${client.tablesPath}/${SURFACES[entity]}/${toSegment(name)}`;
  }

  /** The table with its columns. @throws {NotFoundError} */
  describe(): Promise<Table> {
    return this.#client.json('GET', this.path);
  }

  /** Drops the table and its rows permanently. @throws {VersionMismatchError | NotFoundError} */
  async drop(options: DropOptions = {}): Promise<void> {
    const path = `${this.path}?${new URLSearchParams({ confirm: this.name }).toString()}`;
    await this.#client.json('DELETE', path, { headers: toIfMatch(options) });
  }

  /**
   * Drops a column and its values permanently.
   *
   * @returns the table without it
   * @throws {VersionMismatchError | NotFoundError}
   */
  dropColumn(key: string, options: DropOptions = {}): Promise<Table> {
    const path = `${this.path}/columns/${encodeURIComponent(key)}?${new URLSearchParams({ confirm: key }).toString()}`;
    return this.#client.json('DELETE', path, { headers: toIfMatch(options) });
  }

  /** Creates or updates rows by their primary key, in chunks. @throws {InvalidRowsError | InvalidValueError} */
  upsert(
    rows: Iterable<Partial<Row>> | AsyncIterable<Partial<Row>>,
    { columns, ...options }: UpsertOptions<Partial<Row>> = {},
  ): Promise<BulkReport> {
    return new BulkLoad(this.#client, options).run([{ type: this.entity, name: this.name, items: rows, columns }]);
  }

  /**
   * Deletes rows by their keys, in requests of `MAX_REQUEST_ROWS`. Unknown keys are not errors.
   *
   * @returns the sums of the requests; rows whose deletion waits for approval as a proposal are not `deleted`
   * @throws {TypeError} for a text, which is an iterable of its characters
   */
  async delete(keys: Iterable<string>, { signal }: { signal?: AbortSignal } = {}): Promise<DeletionSums> {
    if (typeof keys === 'string') throw new TypeError(`keys is the text "${keys}". Write a list: ["${keys}"].`);
    const all = [...keys];
    const totals: DeletionReport['totals'] = { received: 0, deleted: 0, missing: 0, failed: 0 };
    const batchIds: string[] = [];
    const proposalIds: string[] = [];
    for (let offset = 0; offset < all.length; offset += MAX_REQUEST_ROWS) {
      const body = JSON.stringify({ keys: all.slice(offset, offset + MAX_REQUEST_ROWS) });
      const path = `${this.path}/items/delete`;
      const report = await this.#client.json<DeletionReport>('POST', path, { body, signal });
      for (const name of ['received', 'missing', 'failed'] as const) totals[name] += report.totals[name];
      if (report.proposalId === undefined) totals.deleted += report.totals.deleted;
      else proposalIds.push(report.proposalId);
      if (report.batchId !== undefined) batchIds.push(report.batchId);
    }
    return { totals, batchIds, proposalIds };
  }

  /** One row, now or as it was. @throws {NotFoundError} and {AtriumError} `history_expired` */
  async get(key: string, { asOf, signal }: GetOptions = {}): Promise<Row> {
    const path = this.rowPath(key, asOf === undefined ? {} : { asOf: formatMoment(asOf) });
    return (await this.#client.json<WrittenRow<Row>>('GET', path, { signal })).item;
  }

  /**
   * The changes of a row that are still stored, the newest first, also those under its former keys.
   *
   * @throws {NotFoundError}
   */
  async *history(
    key: string,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RowHistoryEntry, void> {
    yield* this.#client.pages<RowHistoryEntry>(`${this.path}/item/history?${toKeyParameter(key)}`, { signal });
  }

  /**
   * Changes the sent values of a row.
   *
   * @param ifMatch the `ETag` of the row that the change refers to
   * @throws {VersionMismatchError | InvalidRowsError | InvalidValueError | NotFoundError}
   */
  async patch(key: string, values: Partial<Row>, { ifMatch }: { ifMatch?: string } = {}): Promise<WrittenRow<Row>> {
    return this.#client.json('PATCH', this.rowPath(key), {
      body: toRowJson(values, 0),
      headers: toIfMatch({ ifMatch }),
    });
  }

  /**
   * Changes the key of a row, and all parents, references and notes that name it.
   *
   * @throws {VersionMismatchError | ConflictError | InvalidRowsError | NotFoundError}
   */
  rename(key: string, to: string, { ifMatch }: { ifMatch?: string } = {}): Promise<RenamedRow> {
    const path = `${this.path}/item/rename?${toKeyParameter(key)}`;
    return this.#client.json('POST', path, { body: JSON.stringify({ key: to }), headers: toIfMatch({ ifMatch }) });
  }

  /** All selected rows, read page by page. An unchanged row appears exactly once while others write. */
  async *rows({ limit = MAX_PAGE_ROWS, signal, ...query }: ReadOptions<Row> = {}): AsyncGenerator<Row, void> {
    const parameters = toSearchParams(query);
    parameters.set('limit', String(limit));
    yield* this.#client.pages<Row>(`${this.path}/items?${parameters.toString()}`, { signal });
  }

  /** All groups of the selected rows, with their measures, read page by page. */
  async *aggregate({
    limit = MAX_PAGE_ROWS,
    signal,
    ...query
  }: AggregateQuery<Row> & Pick<ReadOptions<Row>, 'limit' | 'signal'> = {}): AsyncGenerator<AggregateGroup, void> {
    const parameters = toSearchParams(query);
    parameters.set('limit', String(limit));
    yield* this.#client.pages<AggregateGroup>(`${this.path}/aggregate?${parameters.toString()}`, { signal });
  }

  /** All selected rows of one snapshot as a stream of bytes. */
  async export({
    format = 'ndjson',
    signal,
    ...query
  }: RowQuery<Row> & { format?: FileFormat; signal?: AbortSignal } = {}): Promise<ReadableStream<Uint8Array>> {
    const path = `${this.path}/items?${toSearchParams(query).toString()}`;
    const response = await this.#client.request('GET', path, {
      headers: { accept: MEDIA_TYPES[format] },
      stream: true,
      signal,
    });
    return response.body as ReadableStream<Uint8Array>;
  }

  /** All selected rows of one snapshot. The loop must not pause for more than a minute. */
  async *snapshot(query: RowQuery<Row> & { signal?: AbortSignal } = {}): AsyncGenerator<Row, void> {
    yield* parseLines<Row>(await this.export({ ...query, format: 'ndjson' }));
  }

  /** Rows that were written or deleted after a revision, in order of revision and key. @throws {AtriumError} 410 */
  async *changes(options: ChangeOptions): AsyncGenerator<Change, void> {
    const { since, follow, pollMs = 1_000, onAddedColumns, onRevision, signal } = options;
    for (let revision = since, isFirst = true; ; isFirst = false) {
      if (!isFirst) await sleep(pollMs, signal);
      let cursor: string | null = null;
      do {
        const parameters = new URLSearchParams({ since: String(revision) });
        if (cursor !== null) parameters.set('cursor', cursor);
        type Page = { items: Change[]; addedColumns: string[]; nextCursor: string | null; revision: number | null };
        const page: Page = await this.#client.json('GET', `${this.path}/changes?${parameters.toString()}`, { signal });
        if (cursor === null && page.addedColumns.length > 0) onAddedColumns?.(page.addedColumns);
        yield* page.items;
        cursor = page.nextCursor;
        if (page.revision !== null && cursor === null) revision = page.revision;
      } while (cursor !== null);
      onRevision?.(revision);
      if (!follow) return;
    }
  }

  /**
   * Stores a file, all or nothing. Its size is not limited by memory. With `mode: 'replace'` the table contains only
   * the rows of the file afterwards.
   *
   * A stream cannot be sent twice: if the connection breaks, the error is a `ConnectionError`, and `client.imports` has
   * the result under `importId`. A function that opens the stream is called again: a lost or temporarily rejected
   * upload is repeated. If the service still processes an earlier attempt that it has received completely, the error is
   * a {ConflictError} `idempotency_key_in_flight` or `import_id_taken`, and `client.imports.wait` awaits its end.
   *
   * @throws {InvalidRowsError | ConnectionError} and {ConflictError} `too_many_deletions`, if `maxDeletions` is
   *   exceeded
   */
  async import(source: ImportSource, options: ImportOptions<Row> = {}): Promise<ImportReport> {
    const { idempotencyKey, onProgress, signal, createColumns } = options;
    const { query, headers } = toFileRequest(options);
    const form = createColumns && this.toImportForm(createColumns, headers);
    const body = await toBody(source, (opened) => toByteSource(form ? toForm(opened, form.parts) : opened, onProgress));
    const path = `${form ? `${this.#client.tablesPath}/import` : `${this.path}/items/import`}?${query}`;
    const call = { headers: form?.headers ?? headers, body, signal, idempotencyKey };
    return this.#client.json('POST', path, { ...call, isFile: true });
  }

  /** The columns and the file as parts of a form. */
  private toImportForm(columns: ColumnDefinition[], fileHeaders: Record<string, string>) {
    const boundary = crypto.randomUUID();
    const name = `${SURFACES[this.entity]}/${this.name}`;
    const toHead = (part: string, headers: Record<string, string>): string => {
      const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
      const escaped = part.replace(/["\r\n]/g, encodeURIComponent);
      const disposition = `form-data; name="${escaped}"`;
      return `--${boundary}\r\ncontent-disposition: ${disposition}\r\n${lines.join('')}\r\n`;
    };
    const definitions = JSON.stringify({ [name]: columns });
    const before = `${toHead('columns', { 'content-type': 'application/json' })}${definitions}\r\n`;
    return {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      parts: [`${before}${toHead(name, fileHeaders)}`, `\r\n--${boundary}--\r\n`] as const,
    };
  }

  /**
   * What `import` with `mode: 'replace'` would change: invalid rows first, then the differences in the order of their
   * keys. Nothing is written.
   *
   * @throws {InvalidRowsError | ConnectionError}
   */
  async *compare(source: ImportSource, options: CompareOptions<Row> = {}): AsyncGenerator<Difference, void> {
    const { onSummary, signal } = options;
    const { query, headers } = toFileRequest<Row>(options);
    const path = `${this.path}/items/compare?${query}`;
    const body = await toBody(source, toByteSource);
    const response = await this.#client.request('POST', path, { headers, body, signal, stream: true, isFile: true });
    yield* readDifferences<Difference, ComparisonSummary>(this.#client, response, onSummary);
  }

  /** The rows that differ between two moments, by their keys. @throws {AtriumError} `history_expired` */
  async *differences(options: DifferenceOptions): AsyncGenerator<RowDifference, void> {
    const path = `${this.path}/differences?${toDifferenceParams(options).toString()}`;
    const headers = { accept: 'application/x-ndjson' };
    const response = await this.#client.request('GET', path, { headers, stream: true, signal: options.signal });
    yield* readDifferences<RowDifference, DifferenceSummary>(this.#client, response, options.onSummary);
  }

  /**
   * Sets rows back to a former moment, all or nothing. It is a batch, which can be undone.
   *
   * @throws {InvalidRowsError} and {AtriumError} `history_expired`
   */
  restore(options: RestoreOptions<Row>): Promise<UpsertReport> {
    const path = `${this.path}/restore${options.dryRun ? '?dryRun=true' : ''}`;
    return this.#client.json('POST', path, { body: toRestoreJson(options), signal: options.signal });
  }

  private rowPath(key: string, parameters: Record<string, string> = {}): string {
    return `${this.path}/item?${new URLSearchParams({ key, ...parameters }).toString()}`;
  }
}

const toKeyParameter = (key: string): string => new URLSearchParams({ key }).toString();

/**
 * A segment of a path. @throws {Error} for `.` and `..`, which `fetch()` resolves: a request for `assets/..` would
 * reach another path.
 */
function toSegment(name: string): string {
  if (name === '.' || name === '..')
    throw new Error(`A path cannot contain the name "${name}". Use the ID of the table.`);
  return encodeURIComponent(name);
}

function toIfMatch({ ifMatch }: DropOptions): Record<string, string> {
  if (ifMatch === undefined) return {};
  return { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch };
}
