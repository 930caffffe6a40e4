import type { Sql } from './sql.js';

/** A page ends with the row with which it reaches this number of bytes. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** A SELECT statement with ORDER BY and without LIMIT. */
export interface PageStatement {
  sql: string;
  parameters: readonly unknown[];
  /** The selected columns whose values may be large: texts and JSON. */
  sized: readonly string[];
}

/** The rows of a page, and whether another row follows. */
export interface RowPage<Row> {
  items: Row[];
  hasMore: boolean;
}

/** A page of a list, with the `cursor` of the next page; null on the last. */
export interface Page<T> extends RowPage<T> {
  nextCursor: string | null;
}

export interface PageBounds {
  /** The page ends with the row with which it reaches this number of bytes. */
  maxBytes?: number;
  /** Rows of a page whatever their size, and so many rows after it reached `maxBytes`. */
  minRows?: 1 | 2;
}

/** What the statement adds to each row. */
interface Marks {
  /** True or null: does another row follow? */
  _hasNext?: true | null;
  /** Bytes of the rows before it, without the last ones if a page has more than one row whatever their size. */
  _bytesBefore?: string | null;
}

/**
 * Reads at most `limit` rows of at most `maxBytes` in total, and the row with which they reach it. PostgreSQL counts
 * the bytes, and does not send the other rows.
 */
export async function readPage<Row extends object>(
  database: Pick<Sql, 'query'>,
  { sql, parameters, sized }: PageStatement,
  limit: number,
  { maxBytes = MAX_PAGE_BYTES, minRows = 1 }: PageBounds = {},
): Promise<RowPage<Row>> {
  const limited = `
    SELECT * FROM (
      SELECT page.*, lead(true) OVER preceding AS "_hasNext", sum(${sumBytes(sized)}) OVER preceding AS "_bytesBefore"
        FROM (${sql} LIMIT ${limit + 1}) AS page
      WINDOW preceding AS (ROWS BETWEEN UNBOUNDED PRECEDING AND ${minRows} PRECEDING)) AS page
     WHERE "_bytesBefore" IS NULL OR "_bytesBefore" < ${maxBytes}`;
  const rows = await database.query<Row & Marks>(limited, parameters);
  const items = rows.slice(0, limit);
  const hasMore = items.at(-1)?._hasNext === true;
  // The last properties first: V8 then returns to the shape without them.
  for (const row of items) {
    delete row._bytesBefore;
    delete row._hasNext;
  }
  return { items, hasMore };
}

/**
 * Reads records by their IDs in pages: together, they can be too large.
 *
 * @param read returns a page of the records with these IDs.
 */
export async function* readInPages<Row extends { id: unknown }>(
  ids: readonly Row['id'][],
  read: (ids: readonly Row['id'][]) => Promise<RowPage<Row>>,
): AsyncGenerator<Row[]> {
  for (let unread = ids; unread.length > 0;) {
    const { items, hasMore } = await read(unread);
    yield items;
    if (!hasMore) return;
    const found = new Set(items.map(({ id }) => id));
    unread = unread.filter((id) => !found.has(id));
  }
}

/** SQL: the bytes of a row. The length of a text is known without reading it, however it is stored. */
function sumBytes(columns: readonly string[]): string {
  return columns.map((name) => `coalesce(octet_length(page."${name}"::text), 0)`).join(' + ');
}
