import type { StoredValue } from '../../../tabular/src/stored-value.js';
import { toNfc } from '../../../tabular/src/normalization.js';
import { toLikeLiteral, toLikePattern } from '../../../sql/src/sql-literal.js';
import { hasOwnIndex, isIndexed, isLongText, SORTED_CHARACTERS } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { indexExpression, physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { Bindings } from './bindings.js';
import {
  type Comparison,
  DAY_LENGTH,
  type FilterExpression,
  isDay,
  not,
  type ReferenceCondition,
} from './filter-expression.js';
import type { CatalogTable } from '../catalog/catalog-table.js';

/**
 * The number of characters that the index of a text column contains, if conditions should use this index. Shorter texts
 * compare by these characters as they do as a whole, so they need one condition. Two conditions would make PostgreSQL's
 * estimate of the number of rows too low by the selectivity of one of them.
 */
export type FindPrefixLength = (column: CatalogColumn) => number | undefined;

/** The characters of the column's own index. */
export const findOwnPrefixLength: FindPrefixLength = (column) =>
  isIndexed(column) && isLongText(column) ? SORTED_CHARACTERS : undefined;

/** Days of `in` that are compared one by one, so that an index finds them. */
const MAX_RANGES = 30;

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/** The SQL conditions of filters, on the table alias `t`. */
export function compileFilters(
  filters: readonly FilterExpression[],
  bindings: Bindings,
  findLength: FindPrefixLength = findOwnPrefixLength,
): string[] {
  const compiler = new FilterCompiler('t', bindings, findLength);
  return filters.map((filter) => compiler.compile(filter));
}

/** Compiles conditions on the rows of one table. */
class FilterCompiler {
  constructor(
    private readonly alias: string,
    private readonly bindings: Bindings,
    private readonly findLength: FindPrefixLength,
  ) {}

  /**
   * SQL that is true for the rows that meet the condition, and false or null for all others.
   *
   * @param isRequired is the condition a term of WHERE? PostgreSQL turns only such subqueries into joins.
   */
  compile(expression: FilterExpression, isRequired = true): string {
    switch (expression.kind) {
      case 'comparison':
        return this.compare(expression, this.findLength(expression.column));
      case 'reference':
        return this.refer(expression, isRequired);
      case 'not':
        return `(${this.compile(expression.term, false)}) IS NOT TRUE`;
      case 'and':
        return `(${expression.terms.map((term) => this.compile(term, isRequired)).join(' AND ')})`;
      case 'or':
        return `(${expression.terms.map((term) => this.compile(term, false)).join(' OR ')})`;
    }
  }

  private refer(reference: ReferenceCondition, isRequired: boolean): string {
    const { targets, emptyTargets } = reference;
    const selectFound = () => targets.map(({ table, condition }) => this.selectRow(reference, table, condition));
    if (!reference.acceptsEmpty)
      return targets.length > 1 && isRequired ? this.referToUnion(reference) : toAny(selectFound());
    // At most one row has the key of the reference, so no row may miss the condition.
    if (targets.length === 1 && emptyTargets.length === 0)
      return `NOT ${toAny([this.selectRow(reference, targets[0]!.table, not(targets[0]!.condition))])}`;
    const empty = emptyTargets.map((table) => this.selectRow(reference, table));
    const present = targets.map(({ table }) => this.selectRow(reference, table));
    return `(${toAny([...selectFound(), ...empty])} OR NOT ${toAny(present)})`;
  }

  /** A row is found by the index of the keys, or all rows that meet the condition by the index of the reference. */
  private selectRow({ column }: ReferenceCondition, table: CatalogTable, condition?: FilterExpression): string {
    const row = `${this.alias}r`;
    const meets = condition ? ` AND ${this.referredTo().compile(condition)}` : '';
    const reference = `${this.alias}.${physicalColumnName(column)}`;
    return `SELECT 1 FROM ${physicalTableName(table)} ${row} WHERE ${row}.${physicalKeyName(table)} = ${reference}${meets}`;
  }

  /** PostgreSQL does not turn several EXISTS with OR into a join, and would check every row of the table. */
  private referToUnion({ column, targets }: ReferenceCondition): string {
    const row = `${this.alias}r`;
    const keys = targets.map(
      ({ table, condition }) =>
        `SELECT ${row}.${physicalKeyName(table)} FROM ${physicalTableName(table)} ${row} WHERE ${this.referredTo().compile(condition)}`,
    );
    return `${this.alias}.${physicalColumnName(column)} IN (${keys.join(' UNION ALL ')})`;
  }

  private referredTo(): FilterCompiler {
    return new FilterCompiler(`${this.alias}r`, this.bindings, findOwnPrefixLength);
  }

  /** @param indexed the number of characters that the index contains */
  private compare({ column, operator, value }: Comparison, indexed: number | undefined): string {
    const name = `${this.alias}.${physicalColumnName(column)}`;
    const start = indexExpression(column, indexed, `${this.alias}.`);
    if (operator === 'null') return value === true ? `${start} IS NULL` : `${name} IS NOT NULL`;
    if (Array.isArray(value)) {
      if (operator === 'in') return this.compareList(column, value, indexed);
      const [lowest, highest] = value as [StoredValue, StoredValue];
      return `(${this.compareWith(column, '>=', lowest, indexed)} AND ${this.compareWith(column, '<=', highest, indexed)})`;
    }
    if (value === null) return operator === 'ne' ? `${name} IS NOT NULL` : `${start} IS NULL`;
    switch (operator) {
      case 'contains':
        return compileCaseless(name, this.bindings.bind(toLikePattern(String(value))));
      case 'eqIgnoreCase':
        return compileCaseless(name, this.bindings.bind(toLikeLiteral(String(value))));
      case 'startsWithIgnoreCase':
        return compileCaseless(name, this.bindings.bind(`${toLikeLiteral(String(value))}%`));
      case 'endsWithIgnoreCase':
        return compileCaseless(name, this.bindings.bind(`%${toLikeLiteral(String(value))}`));
      case 'startsWith':
        return this.compareStart(column, String(value), indexed);
      case 'endsWith':
        return `${name} LIKE ${this.bindings.bind(`%${toLikeLiteral(String(value))}`)}`;
      case 'ne':
        if (isDay(column, value)) return `(${this.compareWith(column, '=', value, indexed)}) IS NOT TRUE`;
        return `${name} IS DISTINCT FROM ${this.bind(column, value)}`;
      default:
        return this.compareWith(column, COMPARISONS[operator as keyof typeof COMPARISONS], value, indexed);
    }
  }

  private compareWith(
    column: CatalogColumn,
    comparison: string,
    value: StoredValue,
    indexed: number | undefined,
  ): string {
    if (isDay(column, value)) return this.compareDay(column, comparison, value);
    const start = indexExpression(column, indexed, `${this.alias}.`);
    const text = String(value);
    if (indexed === undefined || isShorter(text, indexed)) return `${start} ${comparison} ${this.bind(column, value!)}`;
    // The start of the text finds candidates; the exact condition decides.
    const candidates = `${start} ${comparison.replace(/^[<>]$/, '$&=')} ${this.bind(column, truncateText(text, indexed))}`;
    return `(${candidates} AND ${this.alias}.${physicalColumnName(column)} ${comparison} ${this.bind(column, value!)})`;
  }

  /** A day contains its instants, whose texts are between the text of the day and this text with `U` after it. */
  private compareDay(column: CatalogColumn, comparison: string, day: string): string {
    const name = `${this.alias}.${physicalColumnName(column)}`;
    const [first, after] = [() => this.bind(column, day), () => this.bind(column, `${day}U`)];
    switch (comparison) {
      case '=':
        return `(${name} >= ${first()} AND ${name} < ${after()})`;
      case '<=':
        return `${name} < ${after()}`;
      case '>':
        return `${name} >= ${after()}`;
      default:
        return `${name} ${comparison} ${first()}`;
    }
  }

  private compareStart(column: CatalogColumn, prefix: string, indexed: number | undefined): string {
    const start = indexExpression(column, indexed, `${this.alias}.`);
    const pattern = `${toLikeLiteral(prefix)}%`;
    if (indexed === undefined || isShorter(prefix, indexed)) return `${start} LIKE ${this.bindings.bind(pattern)}`;
    const candidates = `${start} = ${this.bind(column, truncateText(prefix, indexed))}`;
    return `(${candidates} AND ${this.alias}.${physicalColumnName(column)} LIKE ${this.bindings.bind(pattern)})`;
  }

  private compareList(column: CatalogColumn, sent: readonly StoredValue[], indexed: number | undefined): string {
    const start = indexExpression(column, indexed, `${this.alias}.`);
    const values = sent.filter((value) => value !== null);
    if (values.length < sent.length) return `(${this.compareList(column, values, indexed)} OR ${start} IS NULL)`;
    const days = values.filter((value) => isDay(column, value));
    if (days.length > 0) return this.compareDays(column, days, values);
    const any = (of: readonly (string | number | boolean)[]) =>
      `ANY (${this.bindings.bind(of)}::${getSqlType(getNativeType(column.type))}[])`;
    if (indexed === undefined || values.every((value) => isShorter(String(value), indexed)))
      return `${start} = ${any(values)}`;
    const candidates = `${start} = ${any(values.map((value) => truncateText(String(value), indexed)))}`;
    return `(${candidates} AND ${this.alias}.${physicalColumnName(column)} = ${any(values)})`;
  }

  /** The rows with one of the values, or with an instant of one of the days. */
  private compareDays(column: CatalogColumn, days: readonly StoredValue[], values: readonly StoredValue[]): string {
    if (values.length <= MAX_RANGES)
      return `(${values.map((value) => this.compareWith(column, '=', value, undefined)).join(' OR ')})`;
    const name = `${this.alias}.${physicalColumnName(column)}`;
    const any = (of: readonly StoredValue[]) => `ANY (${this.bindings.bind(of as string[])}::text[])`;
    return `(${name} = ${any(values)} OR left(${name}, ${DAY_LENGTH}) = ${any(days)})`;
  }

  private bind(column: CatalogColumn, value: string | number | boolean): string {
    return `${this.bindings.bind(value)}::${getSqlType(getNativeType(column.type))}`;
  }
}

/** @param subqueries of which one must have a row. */
function toAny(subqueries: readonly string[]): string {
  const conditions = subqueries.map((each) => `EXISTS (${each})`);
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' OR ')})`;
}

/** The start of a text: by default the part that `sortExpression` contains. A pair of surrogates is one character. */
export function truncateText(text: string, characters = SORTED_CHARACTERS): string {
  return [...text.slice(0, 2 * characters)].slice(0, characters).join('');
}

function isShorter(text: string, characters: number): boolean {
  return [...text.slice(0, 2 * characters)].length < characters;
}

/** Ignores letter case by the collation of the database: in byte order only ASCII letters have a case. */
function compileCaseless(name: string, pattern: string): string {
  return `${name} COLLATE "default" ILIKE ${pattern}`;
}

/** The condition that any text column contains the text. */
export function compileSearch(columns: readonly CatalogColumn[], text: string, bindings: Bindings): string {
  const pattern = bindings.bind(toLikePattern(text));
  // Keys are stored in NFC.
  const composed = toNfc(text);
  const keyPattern = composed === text ? pattern : bindings.bind(toLikePattern(composed));
  const searched = columns.filter(({ type }) => getNativeType(type) === 'text' && type !== 'date');
  const conditions = searched.map((column) =>
    compileCaseless(`t.${physicalColumnName(column)}`, hasOwnIndex(column) ? keyPattern : pattern),
  );
  return `(${conditions.join(' OR ')})`;
}
