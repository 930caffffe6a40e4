import { createHash } from 'node:crypto';
import type { RowPage, Page } from './page-reader.js';
import { isUuid } from './uuid.js';
import { DomainError } from '../../errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../errors/src/http.errors.js';
import { isStorable } from '../../tabular/src/normalization.js';

/** A value of a key column in a cursor. */
export type CursorValue = string | number | boolean | null;

/** The values of the last row of a page in the columns of its keyset: the content of a cursor. */
export type CursorPosition = readonly CursorValue[];

/** The cursor is malformed or belongs to another query. */
export class InvalidCursorError extends DomainError {
  constructor() {
    super(HTTP_ERRORS.invalid_cursor, undefined, { field: 'cursor' });
  }
}

export interface KeyColumn {
  /** The expression by which the rows are sorted. Absent for a value that the cursor contains for other purposes. */
  sql?: string;
  descending?: boolean;
  /** Are nulls the last ones also in descending order? By PostgreSQL's default, null is larger than every value. */
  isNullLast?: boolean;
  /** Cursors are untrusted input. The column is nullable if null is valid. */
  isValid: (value: CursorValue) => boolean;
}

/** Adds values to a statement. */
interface Bindings {
  /** @returns the SQL expression of the value. */
  bind: (value: string | number | boolean) => string;
}

/** A condition for a contiguous range of an index. */
type Range = (bindings: Bindings) => string;

/** The format of `Date.toISOString`, from the year 1: PostgreSQL has no year 0. */
const INSTANT = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isText = (value: CursorValue) => typeof value === 'string' && isStorable(value);
const isCount = (value: CursorValue) => Number.isSafeInteger(value) && (value as number) >= 0;
const isInstant = (value: CursorValue) =>
  typeof value === 'string' && INSTANT.test(value) && isExisting(new Date(value), value);
/** `Date` reads 30 February as a day in March. */
const isExisting = (date: Date, text: string) => !Number.isNaN(date.getTime()) && date.toISOString() === text;

/** What the values of a key column can be. */
export const KEY_TYPES = {
  uuid: { isValid: isUuid },
  text: { isValid: isText },
  /** A whole number from 0. */
  count: { isValid: isCount },
  /** As `Date.toISOString` writes it. */
  instant: { isValid: isInstant },
  instantOrNull: { isValid: (value: CursorValue) => value === null || isInstant(value) },
  null: { isValid: (value: CursorValue) => value === null },
} as const satisfies Record<string, KeyColumn>;

/** The columns by which a list is sorted. Together they are unique: a page starts after the last row of another one. */
export class Keyset {
  private readonly sorted: readonly (KeyColumn & { sql: string; position: number })[];

  constructor(private readonly columns: readonly KeyColumn[]) {
    this.sorted = columns.flatMap((column, position) => {
      const { sql } = column;
      return sql === undefined ? [] : [{ ...column, sql, position }];
    });
  }

  /** The terms of ORDER BY. @param toExpression replaces the expressions of the columns. */
  compileOrder(toExpression = (sql: string) => sql): string {
    const terms = this.sorted.map(({ sql, descending, isNullLast }) => {
      const direction = `${descending ? ' DESC' : ''}${isNullLast ? ' NULLS LAST' : ''}`;
      return `${toExpression(sql)}${direction}`;
    });
    return terms.join(', ');
  }

  /**
   * @param query everything that determines the rows and their order; a cursor of another query is rejected.
   * @returns undefined without a cursor.
   * @throws {InvalidCursorError} also if a column cannot have its value.
   */
  decode<Position extends CursorPosition = CursorPosition>(
    query: unknown,
    cursor: string | undefined,
  ): Position | undefined {
    if (cursor === undefined) return undefined;
    const parts = parse(cursor);
    if (!Array.isArray(parts) || parts.length !== this.columns.length + 1 || parts[0] !== fingerprint(query))
      throw new InvalidCursorError();
    const values = parts.slice(1) as CursorValue[];
    if (!this.columns.every(({ isValid }, position) => isValid(values[position]!))) throw new InvalidCursorError();
    return values as unknown as Position;
  }

  /** The start of the next page, bound to the query. */
  encode(query: unknown, position: CursorPosition): string {
    return Buffer.from(JSON.stringify([fingerprint(query), ...position])).toString('base64url');
  }

  /** @param getPosition the values of the last row in the columns. */
  toPage<Row>({ items, hasMore }: RowPage<Row>, query: unknown, getPosition: (row: Row) => CursorPosition): Page<Row> {
    return { items, hasMore, nextCursor: hasMore ? this.encode(query, getPosition(items.at(-1)!)) : null };
  }

  /**
   * The condition for the rows after a position as one expression: `(a, b) > (x, y)`, or
   * `(a > x OR (a = x AND (b > y OR …)))` if a column is nullable. True without a position.
   */
  compileCondition(after: CursorPosition | undefined, bindings: Bindings): string {
    if (!after) return 'TRUE';
    const { length } = this.sorted;
    if (length === 1 || this.sorted.some(isNullable) || new Set(this.sorted.map(isDescending)).size > 1)
      return this.compileFrom(0, after, bindings);
    const names = this.sorted.map(({ sql }) => sql);
    const values = this.sorted.map(({ position }) => bindings.bind(after[position]!));
    return `(${names.join(', ')}) ${isDescending(this.sorted[0]!) ? '<' : '>'} (${values.join(', ')})`;
  }

  /**
   * The conditions for the rows after a position, for statements that are run one after the other until the page is
   * full. If the first column has an index, each condition selects a contiguous range of it. PostgreSQL would read the
   * index from its start for a single condition that combines the ranges with OR.
   *
   * @param isServed does a composite index serve the whole order? Each condition then selects a range of it.
   */
  listRanges(after: CursorPosition, isServed = false, from = 0): Range[] {
    const column = this.sorted[from]!;
    const value = after[column.position] ?? null;
    let following: Range[] = [];
    if (from < this.sorted.length - 1)
      following = isServed
        ? this.listRanges(after, isServed, from + 1)
        : [(bindings) => this.compileFrom(from + 1, after, bindings)];
    const equal = following.map(
      (range): Range =>
        (bindings) =>
          `${compileEquality(column.sql, value, bindings)} AND ${range(bindings)}`,
    );
    const ranges = [...equal, ...listGreater(column, value)];
    return ranges.length > 0 ? ranges : [() => 'FALSE'];
  }

  private compileFrom(index: number, after: CursorPosition, bindings: Bindings): string {
    // From the last column, which is never null.
    return this.sorted.slice(index).reduceRight((rest, column) => {
      const value = after[column.position] ?? null;
      const ranges = listGreater(column, value).map((range) => range(bindings));
      const greater = ranges.length > 1 ? `(${ranges.join(' OR ')})` : ranges.join('');
      if (rest === '') return greater;
      const equal = `(${compileEquality(column.sql, value, bindings)} AND ${rest})`;
      return `(${greater === '' ? equal : `${greater} OR ${equal}`})`;
    }, '');
  }
}

/** A page of a list that is read as a whole; its cursor is the ID of its last entry. @throws {InvalidCursorError} */
export function selectPage<T>(
  all: readonly T[],
  toId: (entry: T) => string,
  { limit, cursor }: { limit: number; cursor?: string },
): { items: T[]; nextCursor: string | null } {
  const start = cursor ? all.findIndex((entry) => toId(entry) === cursor) + 1 : 0;
  if (cursor && start === 0) throw new InvalidCursorError();
  const items = all.slice(start, start + limit);
  return { items, nextCursor: start + limit < all.length ? toId(items.at(-1)!) : null };
}

/** The conditions for values after the given one in the direction of the column, of which each selects a range. */
function listGreater(column: KeyColumn & { sql: string }, value: CursorValue): Range[] {
  const { sql, descending = false, isNullLast = !descending } = column;
  if (value === null) return isNullLast ? [] : [() => `${sql} IS NOT NULL`];
  const greater: Range = (bindings) => `${sql} ${descending ? '<' : '>'} ${bindings.bind(value)}`;
  return isNullLast && isNullable(column) ? [greater, () => `${sql} IS NULL`] : [greater];
}

function isNullable({ isValid }: KeyColumn): boolean {
  return isValid(null);
}

function isDescending({ descending = false }: KeyColumn): boolean {
  return descending;
}

function compileEquality(sql: string, value: CursorValue, bindings: Bindings): string {
  return value === null ? `${sql} IS NULL` : `${sql} = ${bindings.bind(value)}`;
}

/** Characters of a cursor. It contains the values of sort columns of one row. */
const MAX_LENGTH = 256 * 1024;

function parse(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}

function fingerprint(query: unknown): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
}
