import { DAY_LENGTH } from './filter-expression.js';
import { MAX_PAGE_BYTES } from '../../../platform/database/page-reader.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { MAX_GROUPS } from '../catalog/request-limits.js';
import type { Aggregate, DateUnit, GroupTerm, Measure } from './aggregate-parser.js';
import type { Bindings } from './bindings.js';
import type { ColumnPath } from './column-path.js';
import { compileFilters } from './filter-compiler.js';
import { compileKeyset, compileOrder, type CursorPosition } from './order.js';
import { compileSource } from './query-compiler.js';

/**
 * A SELECT of one row: `groups`, the number of groups, at most one more than the maximum; `found`, the number of them
 * from the start of the page, at most `limit`; and `rows`, those that are on the page.
 */
export function compileAggregate(
  aggregate: Aggregate,
  bindings: Bindings,
  after: CursorPosition | undefined,
  limit: number,
): string {
  const { groups, measures, columns, order, having } = aggregate;
  const joins = new Joins();
  const expressions = [
    ...groups.map((group) => compileGroup(group, joins)),
    ...measures.map((measure) => compileMeasure(measure, joins)),
  ];
  const names = columns.map(physicalColumnName);
  const selected = expressions.map((expression, at) => `${expression} AS ${names[at]!}`);
  const positions = groups.map((_, at) => at + 1).join(', ');
  const grouped = `SELECT ${selected.join(', ')} ${compileSource(aggregate.rows, bindings, undefined, joins.list())}
                   ${positions === '' ? '' : `GROUP BY ${positions}`} LIMIT ${MAX_GROUPS + 1}`;
  const key = `md5(ROW(${names.slice(0, groups.length).join(', ')})::text) COLLATE "C" AS ${names.at(-1)!}`;
  const conditions = [...compileFilters(having, bindings), ...(after ? [compileKeyset(order, after, bindings)] : [])];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const page = `SELECT row_to_json(t) AS item FROM (SELECT *, ${key} FROM groups) t ${where} ORDER BY ${compileOrder(order)} LIMIT ${limit}`;
  const bytes = 'octet_length(item::text)';
  // The page ends with the row with which it reaches its number of bytes.
  const sized = `SELECT item, sum(${bytes}) OVER (ROWS UNBOUNDED PRECEDING) - ${bytes} AS before FROM (${page}) i`;
  return `WITH groups AS MATERIALIZED (${grouped})
          SELECT (SELECT count(*)::integer FROM groups) AS groups, count(*)::integer AS found,
                 coalesce(json_agg(item) FILTER (WHERE before < ${MAX_PAGE_BYTES}), '[]') AS rows FROM (${sized}) s`;
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
  if (name === 'count') return `count(${value})::float8`;
  if (name === 'countDistinct') return `count(DISTINCT ${value})::float8`;
  // The sum of doubles would differ from the sum of the decimals as which they are written.
  if (name === 'sum' || name === 'avg') return `${name}(${value}::text::numeric)::float8`;
  return `${name}(${value})`;
}
