import type { CatalogTable } from '../catalog/catalog.repository.js';
import { getNativeType, getSqlType, type NativeType } from '../catalog/column-types.js';
import { encodeArray } from '../catalog/pg-array.js';
import { rowByKey, rowsByKeys } from '../catalog/row-sql.js';
import type { StoredValue } from '../../../../packages/tabular/src/stored-value.js';
import type { FoundKeys, MergeRelation, PickedRows, RelationColumn } from './merge-sql.js';
import type { ColumnValues, RowBatch } from './row-reader.js';

/** The rows are sorted by their keys. */
const ORDER = { isUnsorted: false, strategy: 'upsert' } as const;
const ESTIMATES = { isTableEmpty: false, isMostlyNew: false } as const;

type Relation = Pick<MergeRelation, 'from' | 'parameters' | 'columns'>;

/** A column of a relation that is not a column of the table. */
interface ExtraColumn {
  name: string;
  type: NativeType;
  /** The SQL type to which its values are converted. */
  castTo: string;
  values: readonly (StoredValue | undefined)[];
}

/** The rows of a table that probably has most of them. */
export function toMergeRelation(
  table: CatalogTable,
  batch: Pick<RowBatch, 'keys' | 'columns'>,
  isDistributed: boolean,
): MergeRelation {
  const { keys, columns } = batch;
  // A worker reads its parameters as texts: looking up each key takes less time than reading the array again and joining both.
  const existing = isDistributed ? `LATERAL ${rowByKey(table, 's.key', '*, r.ctid AS at')}` : rowsByKeys(table, '$1');
  const relation = {
    ...toRelation(keys, columns, { isDistributed }),
    ...ESTIMATES,
    rows: keys.length,
    existing,
    ...ORDER,
  };
  const toPicked = (rows: readonly number[], at?: readonly string[]): MergeRelation | undefined => {
    if (rows.length === 0) return undefined;
    if (rows.length === keys.length && !at) return relation;
    const picked = rows.length === keys.length ? batch : pickRows(batch, rows);
    const extra = at && ({ name: 'at', type: 'text', castTo: 'tid', values: at } as const);
    const options = { isDistributed, extra, hidesLength: at !== undefined };
    return { ...relation, ...toRelation(picked.keys, picked.columns, options), rows: rows.length };
  };
  const pick = (found: FoundKeys): PickedRows => {
    const [missing, existing, at]: [number[], number[], string[]] = [[], [], []];
    keys.forEach((key, row) => {
      const position = found.get(key);
      if (position === undefined) return;
      if (position === null) missing.push(row);
      else {
        existing.push(row);
        at.push(position);
      }
    });
    return { missing: toPicked(missing), existing: toPicked(existing, at) };
  };
  return { ...relation, pick };
}

function pickRows({ keys, columns }: Pick<RowBatch, 'keys' | 'columns'>, rows: readonly number[]) {
  const pickValues = ({ values, ...column }: ColumnValues) => ({ ...column, values: rows.map((row) => values[row]) });
  return { keys: rows.map((row) => keys[row]!), columns: columns.map(pickValues) };
}

export function sliceColumns(columns: readonly ColumnValues[], from: number, to: number): ColumnValues[] {
  return columns.map((column) => ({ ...column, values: column.values.slice(from, to) }));
}

/** Texts that are sent as one text: between two values, and instead of null. No value of the column contains them. */
const SEPARATOR = '\x01';
const NULL = '\x02';
const CONTROLS = new RegExp(`[${SEPARATOR}${NULL}]`);

/** Fewer texts are sent as an array. */
const MIN_JOINED_TEXTS = 100;

/** A cluster sends parameters to its nodes as text: a text is twice as fast as an array. @returns undefined if a value has a control character. */
function joinTexts(texts: readonly unknown[]): Buffer | undefined {
  const values = texts as readonly (string | null | undefined)[];
  if (values.length < MIN_JOINED_TEXTS || CONTROLS.test(values.join(''))) return undefined;
  return Buffer.from(values.map((value) => value ?? NULL).join(SEPARATOR));
}

interface RelationOptions {
  /** Is it sent to a cluster? */
  isDistributed?: boolean;
  extra?: ExtraColumn;
  /** Let PostgreSQL assume few rows, so that it finds each stored row by its `ctid` instead of reading the whole table. */
  hidesLength?: boolean;
}

/** Arrays as a relation: `key`, a value per column, and for a column that not every row sent a flag whether the row did. */
export function toRelation(
  keys: readonly string[],
  columns: readonly ColumnValues[],
  { isDistributed = false, extra, hidesLength = false }: RelationOptions,
): Relation {
  const parameters = [encodeArray('text', keys)];
  const unnest = (array: string) => `unnest(${hidesLength ? `(SELECT ${array})` : array})`;
  const selected = [`${unnest('$1::text[]')} AS key`];
  const relationColumns = columns.map(({ column, values, complete }, position): RelationColumn => {
    const type = getNativeType(column.type);
    const joined = isDistributed && type === 'text' ? joinTexts(values) : undefined;
    const parameter = `$${parameters.push(joined ?? encodeArray(type, values))}`;
    const array = joined
      ? `string_to_array(${parameter}::text, E'\\x01', E'\\x02')`
      : `${parameter}::${getSqlType(type)}[]`;
    selected.push(`${unnest(array)} AS v${position}`);
    if (complete) return { column, value: `s.v${position}` };
    const sent = values.map((value) => value !== undefined);
    selected.push(`${unnest(`$${parameters.push(encodeArray('boolean', sent))}::boolean[]`)} AS m${position}`);
    return { column, value: `s.v${position}`, sent: `s.m${position}` };
  });
  if (extra) {
    const { name, type, castTo, values } = extra;
    const array = `$${parameters.push(encodeArray(type, values))}::${getSqlType(type)}[]::${castTo}[]`;
    selected.push(`${unnest(array)} AS ${name}`);
  }
  // In the SELECT list, unnest functions of the same length advance together; in FROM, each result would be stored first.
  return { from: `(SELECT ${selected.join(', ')}) s`, parameters, columns: relationColumns };
}
