import type { ColumnDefinition } from './models.js';
import { nameNumbers, toSearchParams, type RowQuery } from './query.js';

export const MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
export type FileFormat = keyof typeof MEDIA_TYPES;

/** How the service reads a file (docs/how-to/importing.md). */
export interface FileOptions {
  /** `ndjson` by default. */
  format?: FileFormat;
  encoding?: 'gzip';
  /** Which of several rows with the same key is stored; `error` by default: none. */
  onDuplicate?: 'error' | 'first' | 'last';
  unknownColumns?: 'error' | 'ignore';
  /** Keys of the table's columns by the names in the file. */
  columns?: Record<string, string>;
  /** Removes white space around texts. */
  trim?: boolean;
  decimal?: '.' | ',';
  thousands?: '.' | ',' | ' ' | "'";
  /** For example `['DD.MM.YYYY', 'YYYY-MM-DD HH:mm:ss']`, in addition to ISO 8601. */
  dateFormat?: string[];
  /** The IANA name of the timezone of formats with a time. */
  timezone?: string | undefined;
  /** Texts that mean an empty value. */
  nullValues?: string[];
  /** Between the cells of CSV: a character, or `tab`. */
  delimiter?: string;
  /** Around the cells of CSV: a character, or `none`. */
  quote?: string;
  /** The line of the CSV header, from 1. The lines before it are skipped. */
  headerLine?: number;
  /** A label of the WHATWG Encoding Standard, for example `windows-1252`. */
  charset?: string;
  signal?: AbortSignal | undefined;
}

/** The part of the table that the file replaces; all rows by default. */
export type Scope<Row> = Pick<RowQuery<Row>, 'filter' | 'under' | 'depth'>;

export interface CompareOptions<Row = Record<string, unknown>> extends FileOptions, Scope<Row> {
  /** Receives the counts after the last difference. */
  onSummary?: (summary: ComparisonSummary) => void;
}

/** Numbers of rows. */
export interface ComparisonSummary {
  create: number;
  update: number;
  delete: number;
  unchanged: number;
  error: number;
}

export interface ImportOptions<Row = Record<string, unknown>> extends FileOptions, Scope<Row> {
  onError?: 'fail' | 'continue';
  dryRun?: boolean;
  /** `replace` also deletes the rows that the file lacks, in the same transaction. */
  mode?: 'upsert' | 'replace';
  /** Creates the table, or adds columns, in the same transaction. */
  createColumns?: ColumnDefinition[] | undefined;
  /** The most rows that `replace` may delete: a number, or a share of the rows, `10%` by default. */
  maxDeletions?: number | string;
  /** A UUID to watch the import, or to find its result after an interruption. */
  importId?: string;
  idempotencyKey?: string;
  /** Receives the bytes of a stream that are sent so far. */
  onProgress?: (bytes: number) => void;
}

const NAMES = [
  ...([
    'onDuplicate',
    'unknownColumns',
    'trim',
    'decimal',
    'thousands',
    'dateFormat',
    'timezone',
    'nullValues',
  ] as const),
  ...([
    'delimiter',
    'quote',
    'headerLine',
    'charset',
    'onError',
    'dryRun',
    'mode',
    'maxDeletions',
    'importId',
  ] as const),
];

/** The query and the headers of an import or a comparison. */
export function toFileRequest<Row>(options: ImportOptions<Row>): { query: string; headers: Record<string, string> } {
  const { format = 'ndjson', encoding, filter, under, depth, columns } = options;
  const parameters = toSearchParams<Row>({ under, depth });
  if (filter) parameters.set('filter', toScopeFilter(filter));
  for (const name of NAMES) {
    const value = options[name];
    // A list is separated by commas.
    if (value !== undefined && value !== false) parameters.set(name, String(value));
  }
  const renamed = Object.entries(columns ?? {}).map(([from, key]) => `${from}:${key}`);
  if (renamed.length > 0) parameters.set('columns', renamed.join(','));
  const headers: Record<string, string> = { 'content-type': MEDIA_TYPES[format] };
  if (encoding) headers['content-encoding'] = encoding;
  return { query: parameters.toString(), headers };
}

/**
 * The conditions as JSON, so that the service rejects a filter without any. A condition that JSON omits would widen the
 * scope.
 */
function toScopeFilter(filter: object): string {
  rejectUndefined(filter, 'filter');
  return JSON.stringify(filter, nameNumbers);
}

/** @throws {TypeError} */
export function rejectUndefined(filter: object, path: string): void {
  for (const [name, condition] of Object.entries(filter) as [string, unknown][]) {
    const field = Array.isArray(filter) ? `${path}[${name}]` : `${path}.${name}`;
    if (condition === undefined) throw new TypeError(`${field} is undefined. Set a condition, or omit the column.`);
    if (typeof condition === 'object' && condition !== null) rejectUndefined(condition, field);
  }
}
