import { MAX_LISTED_ERRORS } from '../../../errors/src/domain-error.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { type KeySpace, rowsByKeys } from '../catalog/row-sql.js';
import { type ComparedRows, type Relation, type RelationColumn, selectDifferent } from '../catalog/relation.js';
import { findOthers, MAX_LISTED_DUPLICATES, type RowPosition, type SameKeyRows } from './row-errors.js';
import { type ColumnValues, isAscending, type RowBatch, RowReader, sortByKey, withoutRows } from './row-reader.js';
import {
  type FoundRows,
  NONE_FOUND,
  type RowResult,
  RowSource,
  type RowStatus,
  type UnresolvedReferences,
} from './row-source.js';
import type { RowsRepository } from '../catalog/rows.repository.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { encodeArray } from '../catalog/binary-format.js';

/** Rows per statement. */
const CHUNK_ROWS = 10_000;

/** More rows are looked up before they are compared. */
const MANY_ROWS = 100;

/** Rows of a request: checked in memory, and sent to PostgreSQL as one array per column, never as a VALUES list. */
export class ArrayRowSource extends RowSource {
  private constructor(
    private readonly rows: RowsRepository,
    readonly received: number,
    /** The valid rows in the order of their keys. */
    private batch: RowBatch,
    private readonly rejectedKeys: Map<number, string>,
  ) {
    super();
  }

  static read(
    rows: RowsRepository,
    items: readonly unknown[],
    columns: readonly CatalogColumn[],
    maxRowBytes: number,
  ): ArrayRowSource {
    const reader = new RowReader(columns, maxRowBytes);
    items.forEach((item, index) => {
      reader.add(item, index);
    });
    const source = new ArrayRowSource(rows, items.length, sortByKey(reader.finish()), reader.rejectedKeys);
    source.errors.addAll(reader.errors);
    return source;
  }

  /** Columns with errors: no row can be read. */
  static unread(rows: RowsRepository, items: readonly unknown[]): ArrayRowSource {
    return new ArrayRowSource(rows, items.length, { indexes: [], keys: [], columns: [] }, new Map());
  }

  /** Of the valid rows. */
  get keys(): readonly string[] {
    return this.batch.keys;
  }

  get columns(): readonly CatalogColumn[] {
    return this.batch.columns.map(({ column }) => column);
  }

  findDuplicateKeys(): Promise<FoundRows<RowPosition & { others: SameKeyRows }>> {
    const positions = [...this.findDuplicates()].flatMap(([key, indexes]) => {
      indexes.sort((a, b) => a - b);
      const first = indexes.slice(0, MAX_LISTED_DUPLICATES + 1).map((index) => ({ index }));
      return indexes.map((index) => ({ index, key, others: findOthers(first, index, indexes.length) }));
    });
    return Promise.resolve(this.toFound(positions));
  }

  async findNewRowsWithout(
    columns: readonly CatalogColumn[],
    table: CatalogTable | undefined,
  ): Promise<{ column: CatalogColumn; found: FoundRows }[]> {
    const { keys, indexes } = this.batch;
    const required = columns.map((column) => ({ column, values: this.findValues(column)?.values }));
    const incomplete = keys.filter((_, row) => required.some(({ values }) => values?.[row] === undefined));
    const existing = table ? await this.rows.findExisting(table, incomplete) : new Set();
    return required.map(({ column, values }) => {
      const positions = keys.flatMap((key, row) =>
        values?.[row] === undefined && !existing.has(key) ? [{ index: indexes[row]!, key }] : [],
      );
      return { column, found: this.toFound(positions) };
    });
  }

  findByKeys(sought: readonly string[]): Promise<FoundRows<Required<Omit<RowPosition, 'line'>>>> {
    const { keys, indexes } = this.batch;
    const wanted = new Set(sought);
    const positions = keys.flatMap((key, row) => (wanted.has(key) ? [{ index: indexes[row]!, key }] : []));
    return Promise.resolve(this.toFound(positions));
  }

  async findStoredUnpermitted(table: CatalogTable, permitted: CatalogTable): Promise<FoundRows> {
    const { keys } = this.batch;
    const stored = await this.rows.findExisting(table, keys);
    const allowed = await this.rows.findExisting(permitted, keys);
    return this.findByKeys([...stored].filter((key) => !allowed.has(key)));
  }

  async findCyclicRows(
    column: CatalogColumn,
    table: CatalogTable | undefined,
    deleted: readonly string[] = [],
  ): Promise<FoundRows<RowPosition & { parent: string }>> {
    const { keys, indexes } = this.batch;
    const { values } = this.findValues(column)!;
    const parents = new Map<string, string | null>();
    // Deleted rows have no parent: the walk upwards ends at them.
    for (const key of deleted) parents.set(key, null);
    keys.forEach((key, row) => {
      if (values[row] !== undefined) parents.set(key, values[row] as string | null);
    });
    const outside = new Set([...parents.values()].filter((parent) => parent !== null && !parents.has(parent)));
    const above = table
      ? await this.rows.findFirstAbove(table, column, [...outside] as string[], [...parents.keys()])
      : [];
    const cyclic = findKeysOnCycles(new Map([...above, ...parents]));
    if (cyclic.size === 0) return NONE_FOUND;
    const positions = keys.flatMap((key, row) =>
      cyclic.has(key) && parents.has(key) ? [{ index: indexes[row]!, key, parent: values[row] as string }] : [],
    );
    return this.toFound(positions);
  }

  async *compare(table: CatalogTable, isNew: boolean): AsyncGenerator<ComparedRows> {
    const { keys, columns, indexes } = this.batch;
    for (let from = 0; from < keys.length; from += CHUNK_ROWS) {
      const to = Math.min(from + CHUNK_ROWS, keys.length);
      const batch = {
        indexes: indexes.slice(from, to),
        keys: keys.slice(from, to),
        columns: sliceColumns(columns, from, to),
      };
      const relation = toRelation(batch);
      yield isNew ? { missing: relation } : await this.compareChunk(table, batch, relation);
    }
  }

  async findUnresolved(column: CatalogColumn, targets: KeySpace, limit: number): Promise<UnresolvedReferences> {
    const { values } = this.findValues(column)!;
    const keys = new Set(values.filter((value) => typeof value === 'string'));
    const existing = await this.rows.findExistingIn(targets, [...keys]);
    const found = values.flatMap((value, row) =>
      typeof value === 'string' && !existing.has(value)
        ? [{ index: this.batch.indexes[row]!, column: column.key, value }]
        : [],
    );
    return { total: found.length, first: found.sort((a, b) => a.index - b.index).slice(0, limit) };
  }

  listResults(written: ReadonlyMap<string, RowStatus>): RowResult[] {
    const results = Array.from({ length: this.received }, (_, index): RowResult => {
      return { index, key: this.rejectedKeys.get(index) ?? null, status: 'failed' };
    });
    this.batch.keys.forEach((key, row) => {
      const index = this.batch.indexes[row]!;
      results[index] = { index, key, status: written.get(key) ?? 'unchanged' };
    });
    return results;
  }

  private findValues(column: CatalogColumn): ColumnValues | undefined {
    return this.batch.columns.find((candidate) => candidate.column.key === column.key);
  }

  private toFound<Position extends RowPosition & { key: string }>(positions: Position[]): FoundRows<Position> {
    if (positions.length === 0) return NONE_FOUND;
    return {
      ...NONE_FOUND,
      total: positions.length,
      first: positions.toSorted((a, b) => a.index - b.index).slice(0, MAX_LISTED_ERRORS),
      reject: () => Promise.resolve(this.exclude(positions)),
    };
  }

  private exclude(positions: readonly { index: number; key: string }[]): number {
    const excluded = new Set(positions.map(({ index }) => index));
    for (const { index, key } of positions) this.rejectedKeys.set(index, key);
    const before = this.batch.keys.length;
    this.batch = withoutRows(this.batch, (row) => excluded.has(this.batch.indexes[row]!));
    return before - this.batch.keys.length;
  }

  /** Indexes of the rows of each key that several rows have. */
  private findDuplicates(): Map<string, number[]> {
    const { keys, indexes } = this.batch;
    const indexesByKey = new Map<string, number[]>();
    if (this.rejectedKeys.size === 0 && isAscending(keys)) return indexesByKey;
    const add = (key: string, index: number) => {
      const others = indexesByKey.get(key);
      if (others) others.push(index);
      else indexesByKey.set(key, [index]);
    };
    keys.forEach((key, row) => {
      add(key, indexes[row]!);
    });
    for (const [index, key] of this.rejectedKeys) add(key, index);
    for (const [key, { length }] of indexesByKey) if (length === 1) indexesByKey.delete(key);
    return indexesByKey;
  }

  private async compareChunk(table: CatalogTable, batch: RowBatch, relation: Relation): Promise<ComparedRows> {
    // Many rows are often all new: looking up their keys costs less than comparing their values.
    if (batch.keys.length > MANY_ROWS && !(await this.rows.hasAny(table, relation.keys))) return { missing: relation };
    const query = selectDifferent(table, relation, rowsByKeys(table, '$1'));
    const { missing, stored } = await this.rows.findDifferent(query, relation.parameters);
    const select = (keys: readonly string[]) => {
      if (keys.length === batch.keys.length) return relation;
      const selected = new Set(keys);
      return toRelation(withoutRows(batch, (row) => !selected.has(batch.keys[row]!)));
    };
    return { missing: select(missing), different: select(stored) };
  }
}

/**
 * Arrays as a relation: `key`, a value per column, and for a column that not every row sent a flag whether the row did.
 * The first parameter has the keys.
 */
export function toRelation({ keys, columns }: Pick<RowBatch, 'keys' | 'columns'>): Relation {
  const parameters: Buffer[] = [];
  const selected: string[] = [];
  // In the SELECT list, unnest functions of the same length advance together; in FROM, each result would be stored
  // first.
  const add = (array: Buffer, type: string, name: string) => {
    selected.push(`unnest($${parameters.push(array)}::${type}) AS ${name}`);
    return `s.${name}`;
  };
  add(encodeArray('text', keys), 'text[]', 'key');
  const relationColumns = columns.map(({ column, values, complete }, position): RelationColumn => {
    const type = getNativeType(column.type);
    const value = add(encodeArray(type, values), `${getSqlType(type)}[]`, `v${position}`);
    if (complete) return { column, value };
    const isSent = values.map((sent) => sent !== undefined);
    return { column, value, sent: add(encodeArray('boolean', isSent), 'boolean[]', `m${position}`) };
  });
  return {
    from: `(SELECT ${selected.join(', ')}) s`,
    parameters,
    columns: relationColumns,
    rows: keys.length,
    keys: { isSelected: '= ANY ($1::text[])', parameters: parameters.slice(0, 1) },
    keysInMemory: keys,
  };
}

export function sliceColumns(columns: readonly ColumnValues[], from: number, to: number): ColumnValues[] {
  return columns.map((column) => ({ ...column, values: column.values.slice(from, to) }));
}

/** The keys on a cycle of parents. Linear: each key is visited once. */
export function findKeysOnCycles(parents: ReadonlyMap<string, string | null | undefined>): Set<string> {
  const onCycle = new Set<string>();
  const done = new Set<string>();
  for (const start of parents.keys()) {
    const path: string[] = [];
    const position = new Map<string, number>();
    let key: string | null | undefined = start;
    while (key != null && !done.has(key) && !position.has(key)) {
      position.set(key, path.length);
      path.push(key);
      key = parents.get(key);
    }
    // The walk reached its own path again: the cycle starts there.
    if (key != null && position.has(key)) for (const member of path.slice(position.get(key))) onCycle.add(member);
    for (const visited of path) done.add(visited);
  }
  return onCycle;
}
