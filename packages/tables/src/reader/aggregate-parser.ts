import type { ColumnType } from '../../../tabular/src/coercions.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { isPath, ReferencedTables } from '../catalog/referenced-tables.js';
import { InvalidQueryError } from '../catalog/query.errors.js';
import { type ColumnPath, ColumnPaths, listEnds } from './column-path.js';
import type { FilterExpression } from './filter-expression.js';
import { isKey, parseFilters } from './filter-parser.js';
import { parseSort, type SortTerm, splitList } from './order.js';
import { parseQuery, type RowQuery, type RowSelection } from './query-compiler.js';

/** Units by which dates are grouped. */
const DATE_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type DateUnit = (typeof DATE_UNITS)[number];

const MEASURE_FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const;
export type MeasureFunction = (typeof MEASURE_FUNCTIONS)[number];

/** Maximum numbers of an aggregate. */
export const MAX_GROUP_COLUMNS = 3;
export const MAX_MEASURES = 20;

/** An aggregate, as a caller sends it. */
export interface AggregateQuery extends Pick<RowQuery, 'filter' | 'q' | 'under' | 'depth' | 'sort'> {
  group?: string;
  measures?: string;
  having?: object;
}

/** A term by which rows are grouped. */
export interface GroupTerm {
  path: ColumnPath;
  unit: DateUnit | undefined;
}

export interface Measure {
  function: MeasureFunction;
  /** Undefined for the number of rows. */
  path: ColumnPath | undefined;
}

/** A validated aggregate. Its result is like a table, so it is filtered, sorted and paged by the code for tables. */
export interface Aggregate {
  /** The rows that are aggregated. */
  rows: RowSelection;
  groups: readonly (GroupTerm & Output)[];
  measures: readonly (Measure & Output)[];
  /** The columns of the result: those of the groups, the measures, and at the end the key. */
  columns: readonly CatalogColumn[];
  order: readonly SortTerm[];
  having: readonly FilterExpression[];
}

interface Output {
  /** The name in the result. */
  name: string;
  type: ColumnType;
  /** Are its values keys of rows? */
  hasKeys: boolean;
}

/** A digest of the groups makes the order of the result unique. */
const KEY: Output = { name: '(key)', type: 'text', hasKeys: false };

/** The paths through references that the aggregate contains. */
export function listAggregatePaths({ group, measures }: AggregateQuery): string[] {
  const names = [
    ...splitList(group).map((term) => splitUnit(term).name),
    ...splitList(measures).map((term) => MEASURE.exec(term)?.[2] ?? ''),
  ];
  return names.filter(isPath).slice(0, MAX_GROUP_COLUMNS + MAX_MEASURES);
}

/**
 * @param referenced the tables that the paths of the aggregate and of its filter lead to
 * @throws {InvalidQueryError}
 */
export function parseAggregate(
  table: CatalogTable,
  { group, measures, having, sort, ...query }: AggregateQuery,
  referenced = new ReferencedTables(),
): Aggregate {
  const paths = new ColumnPaths(table, referenced);
  const groups = limitTerms('group', splitList(group), MAX_GROUP_COLUMNS).map((term) => parseGroup(paths, term));
  const terms = limitTerms('measures', splitList(measures ?? 'count'), MAX_MEASURES);
  if (terms.length === 0) {
    const message = '"measures" is empty. Send a measure such as "count", or omit it.';
    throw new InvalidQueryError('measures', 'invalid_value', message);
  }
  const parsedMeasures = terms.map((term) => parseMeasure(paths, term));
  rejectDuplicates(groups, parsedMeasures, getPrimaryKey(table.columns).key);
  const outputs = [...groups, ...parsedMeasures].map(createColumn);
  const columns = [...outputs, { ...createColumn(KEY, outputs.length), primaryKey: true }];
  requireOutputs(sort, outputs);
  return {
    rows: parseQuery(table, query, referenced),
    groups,
    measures: parsedMeasures,
    columns,
    order: parseSort(columns, sort ?? groups.map(({ name }) => name).join()),
    having: parseFilters(
      new ColumnPaths({ ...table, columns: outputs }, referenced, 'The aggregate'),
      having,
      'having',
    ),
  };
}

function limitTerms(field: string, terms: string[], limit: number): string[] {
  if (terms.length <= limit) return terms;
  const message = `"${field}" has at most ${limit} terms; this has ${terms.length}.`;
  throw new InvalidQueryError(field, 'invalid_value', message);
}

function parseGroup(paths: ColumnPaths, term: string): GroupTerm & Output {
  const { name: sent, unit } = splitUnit(term);
  const path = paths.get(sent, 'group');
  const name = getPathName(path, sent);
  const { type, hasKeys } = describeEnds(path);
  if (unit === undefined) return { path, unit, name, type, hasKeys };
  if (!isUnit(unit)) {
    const message = `"${unit.slice(0, 80)}" is not a unit. Allowed: ${DATE_UNITS.join(', ')}.`;
    throw new InvalidQueryError('group', 'invalid_value', message);
  }
  if (type === 'date') return { path, unit, name: `${name}:${unit}`, type, hasKeys };
  const message = `Only dates are grouped by units; "${name}" is a ${type} column.`;
  throw new InvalidQueryError('group', 'invalid_value', message);
}

/** `installed:month` */
function splitUnit(term: string): { name: string; unit: string | undefined } {
  const at = term.lastIndexOf(':');
  return at < 0 ? { name: term, unit: undefined } : { name: term.slice(0, at), unit: term.slice(at + 1) };
}

function isUnit(unit: string): unit is DateUnit {
  return (DATE_UNITS as readonly string[]).includes(unit);
}

const MEASURE = /^([a-z]+)(?:\((.+)\))?$/i;

function parseMeasure(paths: ColumnPaths, term: string): Measure & Output {
  const invalid = (message: string) => new InvalidQueryError('measures', 'invalid_value', message);
  const [, name = '', sent] = MEASURE.exec(term) ?? [];
  if (!isFunction(name)) {
    const allowed = MEASURE_FUNCTIONS.map((each) => (each === 'count' ? each : `${each}(column)`)).join(', ');
    throw invalid(`"${term.slice(0, 80)}" is not a measure. Allowed: ${allowed}.`);
  }
  if (sent === undefined) {
    if (name === 'count') return { function: name, path: undefined, name, type: 'number', hasKeys: false };
    throw invalid(`The measure "${name}" needs a column, such as ${name}(weight).`);
  }
  const path = paths.get(sent, 'measures');
  const { type, hasKeys } = describeEnds(path);
  const output = `${name}(${getPathName(path, sent)})`;
  if ((name === 'sum' || name === 'avg') && type !== 'number')
    throw invalid(`The measure "${name}" is only for numbers; "${sent.slice(0, 80)}" is a ${type} column.`);
  if ((name === 'min' || name === 'max') && getNativeType(type) === 'boolean')
    throw invalid(`The measure "${name}" is not for ${type} columns, such as "${sent.slice(0, 80)}".`);
  return name === 'min' || name === 'max'
    ? { function: name, path, name: output, type, hasKeys }
    : { function: name, path, name: output, type: 'number', hasKeys: false };
}

function isFunction(name: string): name is MeasureFunction {
  return (MEASURE_FUNCTIONS as readonly string[]).includes(name);
}

/** The columns of all tables have one type. */
function describeEnds(path: ColumnPath): Omit<Output, 'name'> {
  const ends = listEnds(path);
  return { type: ends[0]!.type, hasKeys: ends.every(isKey) };
}

function getPathName({ column, targets }: ColumnPath, sent: string): string {
  return targets.length === 0 ? column.key : sent;
}

function rejectDuplicates(groups: readonly Output[], measures: readonly Output[], key: string): void {
  for (const [field, outputs] of [
    ['group', groups],
    ['measures', measures],
  ] as const) {
    const names = outputs.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) < at);
    if (twice === undefined) continue;
    throw new InvalidQueryError(field, 'invalid_value', `"${field}" contains "${twice}" twice. Send each term once.`);
  }
  if (!groups.some(({ name }) => measures.some((measure) => measure.name === name))) return;
  const message = `"count" is a group and a measure. Write the measure as count(${key}).`;
  throw new InvalidQueryError('measures', 'ambiguous_column', message);
}

/** @throws {InvalidQueryError} if a term of the sort order is neither a group nor a measure */
function requireOutputs(sort: string | undefined, outputs: readonly CatalogColumn[]): void {
  const keys = outputs.map(({ key }) => key);
  const unknown = splitList(sort).find((term) => !keys.includes(term.replace(/^[-+]/, '')));
  if (unknown === undefined) return;
  const message = `"${unknown.slice(0, 80)}" is neither a group nor a measure of the aggregate. Allowed: ${keys.join(', ')}.`;
  throw new InvalidQueryError('sort', 'unknown_column', message);
}

/** A column of the result. Texts and references are texts there. */
function createColumn({ name, type, hasKeys }: Output, position: number): CatalogColumn {
  return {
    key: name,
    name,
    type: getNativeType(type) === 'text' && type !== 'date' ? 'text' : type,
    ordinal: position + 1,
    primaryKey: false,
    required: false,
    description: null,
    options: {},
    hasKeys,
  };
}
