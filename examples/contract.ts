/**
 * Requests and responses of the bulk call, and the error format. The complete contract is the service's `openapi.json`;
 * this is the part that a loader needs.
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
  /** `target` is the table that a `reference` column refers to; `choices` are the values of a `tagStatus` column. */
  options?: { target?: { entity: Entity; table: string }; choices?: string[] };
}

/** A row: column key to value. The value of an omitted key stays unchanged; `null` clears it. */
export type Item = Record<string, string | number | boolean | null>;

/** One table of a bulk request. The first batch contains `columns`; later batches contain only the name and the rows. */
export interface TableBatch {
  type: Entity;
  name: string;
  columns?: ColumnDefinition[];
  items: Item[];
}

/** The result of a batch. `index` counts the rows of the batch from 0. */
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

/** `data` of the token endpoint. `expires_in` is in seconds. */
export interface TokenResponse {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

/** The format of every successful response. */
export interface Envelope<T> {
  status: number;
  message: string;
  timestamp: number;
  data: T;
}

/** One error of a request, with its position as far as known. */
export interface ErrorDetail {
  field?: string;
  table?: string;
  index?: number;
  key?: string;
  column?: string;
  code: string;
  message: string;
}

/** The format of every error response. `error` is a stable code; `requestId` identifies the request in the log. */
export interface ErrorBody {
  status: number;
  message: string;
  error: string;
  requestId?: string;
  /** `total` counts all errors; `errors` lists the first 1,000 of them. */
  details?: { total?: number; errors?: ErrorDetail[] };
}
