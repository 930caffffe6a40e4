import { DAY_LENGTH } from './filter-expression.js';
import { MAX_PAGE_BYTES } from '../../../sql/src/page-reader.js';
import type { CursorPosition } from '../../../sql/src/keyset.js';
import { isIndexed, isLongText } from '../catalog/column-indexes.js';
import { hasSelectedRows, physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { MAX_GROUPS } from '../catalog/request-limits.js';
import type { Aggregate, DateUnit, GroupTerm, Measure } from './aggregate-parser.js';
import type { Bindings } from './bindings.js';
import type { ColumnPath } from './column-path.js';
import { compileFilters } from './filter-compiler.js';
import { type SortTerm, toKeyset } from './order.js';
import { compileSource } from './query-compiler.js';

/**
 * A SELECT of one row: `groups`, the number of groups, at most one more than the maximum; `found`, the number of them
 * from the start of the page, at most `limit`; and `rows`, those that are on the page. If an index has the order of the
 * groups, PostgreSQL reads only the rows of this page, and `groups` is `found`.
 */
export function compileAggregate(
  aggregate: Aggregate,
  bindings: Bindings,
  after: CursorPosition | undefined,
  limit: number,
): string {
  const { groups, columns, order, having } = aggregate;
  const names = columns.map(physicalColumnName);
  const grouped = compileGroups(aggregate, bindings, after, limit);
  const key = `md5(ROW(${names.slice(0, groups.length).join(', ')})::text) COLLATE "C" AS ${names.at(-1)!}`;
  const keyset = toKeyset(order);
  const conditions = [...compileFilters(having, bindings), keyset.compileCondition(after, bindings)];
  const page = `SELECT row_to_json(t) AS item FROM (SELECT *, ${key} FROM groups) t WHERE ${conditions.join(' AND ')} ORDER BY ${keyset.compileOrder()} LIMIT ${limit}`;
  const bytes = 'octet_length(item::text)';
  // The page ends with the row with which it reaches its number of bytes.
  const sized = `SELECT item, sum(${bytes}) OVER (ROWS UNBOUNDED PRECEDING) - ${bytes} AS before FROM (${page}) i`;
  return `WITH groups AS MATERIALIZED (${grouped})
          SELECT (SELECT count(*)::integer FROM groups) AS groups, count(*)::integer AS found,
                 coalesce(json_agg(item) FILTER (WHERE before < ${MAX_PAGE_BYTES}), '[]') AS rows FROM (${sized}) s`;
}

/** The groups, without their order unless an index has it. */
function compileGroups(
  aggregate: Aggregate,
  bindings: Bindings,
  after: CursorPosition | undefined,
  limit: number,
): string {
  const { groups, measures, columns, rows } = aggregate;
  const joins = new Joins();
  const names = columns.map(physicalColumnName);
  const positions = groups.map((_, at) => at + 1).join(', ');
  const groupBy = positions === '' ? '' : `GROUP BY ${positions}`;
  const select = (expressions: readonly string[]) => expressions.map((each, at) => `${each} AS ${names[at]!}`).join();
  const keys = groups.map((group) => compileGroup(group, joins));
  const [first] = measures;
  if (measures.length === 1 && first?.function === 'countDistinct') {
    // PostgreSQL sorts all rows for count(DISTINCT), and hashes them for DISTINCT.
    const pairs = `SELECT DISTINCT ${select([...keys, joins.compilePath(first.path!)])}`;
    const source = `(${pairs} ${compileSource(rows, bindings, undefined, joins.list())}) d`;
    const counted = names.slice(0, keys.length + 1).map((name, at) => (at < keys.length ? name : toCount(name)));
    return `SELECT ${select(counted)} FROM ${source} ${groupBy} LIMIT ${MAX_GROUPS + 1}`;
  }
  const selected = select([...keys, ...measures.map((measure) => compileMeasure(measure, joins))]);
  const term = findIndexedTerm(aggregate);
  if (!term)
    return `SELECT ${selected} ${compileSource(rows, bindings, undefined, joins.list())} ${groupBy} LIMIT ${MAX_GROUPS + 1}`;
  const keyset = toKeyset([term]);
  const parts = (after ? keyset.listRanges(after) : [undefined]).map((range) => {
    const source = compileSource(rows, bindings, range, joins.list());
    return `(SELECT ${selected} ${source} ${groupBy} ORDER BY ${keyset.compileOrder()} LIMIT ${limit})`;
  });
  return parts.join(' UNION ALL ');
}

/** The column by which rows are grouped and sorted, if its index has all rows of the groups in their order. */
function findIndexedTerm({ groups, rows, order, columns, having }: Aggregate): SortTerm | undefined {
  const [group, ...others] = groups;
  if (!group || others.length > 0 || group.unit !== undefined || group.path.targets.length > 0) return undefined;
  const [{ column: sorted, descending }] = order as [SortTerm, ...SortTerm[]];
  const { column } = group.path;
  const isFiltered = rows.filters.length + having.length > 0 || rows.q !== undefined || rows.under !== undefined;
  const hasAllRows = !isFiltered && !hasSelectedRows(rows.table);
  return hasAllRows && sorted === columns[0] && isIndexed(column) && !isLongText(column)
    ? { column, descending }
    : undefined;
}

/** The rows of other tables that references name. A key is unique, so that no row of the table appears twice. */
class Joins {
  private readonly aliases = new Map<string, string>();

  /** SQL: the value of the column. If several tables have the row, the first of them with a value counts. */
  compilePath({ column, targets }: ColumnPath, alias = 't'): string {
    const name = `${alias}.${physicalColumnName(column)}`;
    if (targets.length === 0) return name;
    const values = targets.map(({ table, path }) => {
      const join = (row: string) =>
        `LEFT JOIN ${physicalTableName(table)} ${row} ON ${row}.${physicalKeyName(table)} = ${name}`;
      return this.compilePath(path, this.getAlias(join));
    });
    return values.length === 1 ? values[0]! : `coalesce(${values.join(', ')})`;
  }

  list(): string[] {
    return [...this.aliases].map(([join, alias]) => join.replaceAll(ALIAS, alias));
  }

  /** Paths with a common start share its joins. */
  private getAlias(join: (row: string) => string): string {
    const key = join(ALIAS);
    const alias = this.aliases.get(key) ?? `j${this.aliases.size}`;
    this.aliases.set(key, alias);
    return alias;
  }
}

/** The text of a join contains it instead of the alias. */
const ALIAS = '{alias}';

function compileGroup({ path, unit }: GroupTerm, joins: Joins): string {
  const value = joins.compilePath(path);
  return unit === undefined ? value : compileUnit(value, unit);
}

/** The first day of the period, in the form of dates. A week begins on Monday. */
function compileUnit(date: string, unit: DateUnit): string {
  switch (unit) {
    case 'day':
      return `left(${date}, ${DAY_LENGTH})`;
    case 'month':
      return `left(${date}, 7) || '-01'`;
    case 'year':
      return `left(${date}, 4) || '-01-01'`;
    case 'week':
    case 'quarter':
      return `to_char(date_trunc('${unit}', ${date}::timestamp), 'YYYY-MM-DD') COLLATE "C"`;
  }
}

function compileMeasure({ function: name, path }: Measure, joins: Joins): string {
  if (!path) return 'count(*)::float8';
  const value = joins.compilePath(path);
  if (name === 'count') return toCount(value);
  if (name === 'countDistinct') return `count(DISTINCT ${value})::float8`;
  if (name === 'sum' || name === 'avg') return toNearestDouble(`${name}(${value}::text::numeric)`);
  return `${name}(${value})`;
}

/** A decimal below half of the smallest double. */
const NEARLY_ZERO = '2.4703e-324';

/**
 * The sum of doubles would differ from the sum of the decimals as which they are written. PostgreSQL rejects decimals
 * that would become zero.
 */
function toNearestDouble(decimal: string): string {
  return `(CASE WHEN abs(${decimal}) < ${NEARLY_ZERO} THEN 0 ELSE ${decimal} END)::float8`;
}

function toCount(value: string): string {
  return `count(${value})::float8`;
}
