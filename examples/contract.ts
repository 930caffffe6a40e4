/**
 * The shapes that travel between this example and the service: the bulk call, its answer, and what every failure looks
 * like. The whole contract is the service's `openapi.json`; this is the part of it that a loader needs.
 */

export type Entity = 'location' | 'asset' | 'list';

export type ColumnType =
  'text' | 'number' | 'date' | 'checkbox' | 'hierarchyParent' | 'reference' | 'locationTag' | 'space' | 'tagStatus';

export interface ColumnDefinition {
  key: string;
  name: string;
  type: ColumnType;
  primaryKey?: boolean;
  required?: boolean;
  description?: string;
  /** `target` is where a `reference` points to, `choices` are the values that a `tagStatus` may have. */
  options?: { target?: { entity: Entity; table: string }; choices?: string[] };
}

/** A row: column key to value. A key that is left out keeps what is stored, `null` clears it. */
export type Item = Record<string, string | number | boolean | null>;

/** One table of a bulk request. `columns` goes with the first batch; later batches send the name and the rows. */
export interface TableBatch {
  type: Entity;
  name: string;
  columns?: ColumnDefinition[];
  items: Item[];
}

/** What became of a batch. `index` counts the rows of the batch, from 0. */
export interface TableResult {
  type: Entity;
  id: string;
  name: string;
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  unresolved: { total: number; first: { index: number; column: string; value: string }[] };
}

export interface BulkResult {
  tables: TableResult[];
}

/** Inside `data` of the token endpoint's answer. `expires_in` is in seconds. */
export interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** Every success. */
export interface Envelope<T> {
  status: number;
  message: string;
  timestamp: number;
  data: T;
}

/** One fault in what was sent, with its place: as much of it as there is to say. */
export interface Fault {
  field?: string;
  table?: string;
  index?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

/** Every failure. `error` is for programs, `message` for people, `requestId` for the service's log. */
export interface ErrorBody {
  status: number;
  message: string;
  error: string;
  requestId?: string;
  /** `total` counts all errors; `errors` lists the first 1,000 of them. */
  details?: { total?: number; errors?: Fault[] };
}
