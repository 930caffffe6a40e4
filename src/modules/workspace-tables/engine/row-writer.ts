import { Injectable } from '@nestjs/common';
import { SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { getTargetEntity } from '../catalog/reference-targets.js';
import { TableEvents } from '../catalog/table-events.js';
import { TableTurns } from '../catalog/table-turns.js';
import type { ArrayRowSource } from '../sources/array-row-source.js';
import type { UnresolvedReferenceDto } from '../sources/dto/row-results.dto.js';
import { type DirectlyWrittenRow, RowWritesRepository } from './row-writes.repository.js';
import { RowQueue } from './row-queue.js';
import { RowSources } from '../sources/row-sources.js';
import type { RowWrite } from './row-write-sql.js';

/** Rows of one statement. */
const MAX_ROWS = 100;

/**
 * Errors that a row may cause, or that a repetition may solve: data exceptions, constraints, deadlocks, tables and
 * columns that were dropped, program limits, features that the server does not support.
 */
const SINGLE_ROW_STATES = /^(?:0A|22|23|40|42|54)/;

export interface RowWriteOptions {
  write: Exclude<RowWrite, 'delete'>;
  /** The revision that the stored row must have. */
  accepted?: number;
}

/** A row as it was written. */
export interface WrittenRow extends DirectlyWrittenRow {
  unresolved: UnresolvedReferenceDto[];
}

type Result = WrittenRow | undefined;

/** How a row is written. Rows of the same kind can be written by one statement. */
interface Kind {
  write: RowWrite;
  references: References;
}

/**
 * What a row refers to. Rows with references to their own table are written one by one, because the checks before a
 * statement assume that it writes all its rows.
 */
type References = 'none' | 'other tables' | 'own table';

/** A valid row. */
interface PendingRow extends Kind {
  key: string;
  source: ArrayRowSource;
  /** The event that the write causes. */
  event: object;
  accepted?: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Rows of the same kind with distinct keys. */
interface Batch extends Kind {
  table: CatalogTable;
  rows: readonly PendingRow[];
  source: ArrayRowSource;
}

/**
 * Writes single rows, each as a transaction of its own, by one statement that also locks the table
 * (docs/explanation/performance.md#single-rows). Rows of the same table that arrive meanwhile are written together by
 * the next statement: only one transaction at a time has the lock, and each waits for the disk.
 *
 * A row is written only if it is valid and meets its conditions. Otherwise nothing was changed, and the caller must use
 * MergeEngine or TableLocks, which find the reason.
 */
@Injectable()
export class RowWriter {
  /** A queue for the rows of a table, by what one statement assumes of the table (`toQueueKey`). */
  private readonly queues = new Map<string, RowQueue<PendingRow>>();

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogWrites,
    private readonly sources: RowSources,
    private readonly repository: RowWritesRepository,
    private readonly turns: TableTurns,
    private readonly events: TableEvents,
  ) {}

  /**
   * @param table may be outdated: the row is then not written.
   * @param item with its key; for an `upsert`, with all columns.
   * @returns undefined if the row was not written.
   */
  async write(table: CatalogTable, item: object, { write, accepted }: RowWriteOptions): Promise<Result> {
    return this.enqueue(table, item, write, accepted);
  }

  /** @returns undefined if the row was not deleted. */
  async delete(table: CatalogTable, key: string, accepted?: number): Promise<Result> {
    return this.enqueue(table, { [getPrimaryKey(table.columns).key]: key }, 'delete', accepted);
  }

  protected async enqueue(table: CatalogTable, item: object, write: RowWrite, accepted?: number): Promise<Result> {
    // A write in an open transaction must be a part of it.
    if (this.database.isInTransaction) return undefined;
    const source = this.sources.readRow(table, item);
    const key = source?.keys[0];
    if (!source || key === undefined || (write === 'update' && source.columns.length === 0)) return undefined;
    const references = findReferences(table, source);
    const event = this.events.createRowEvent();
    return new Promise<Result>((resolve, reject) => {
      this.getQueue(table).add({ key, source, event, accepted, write, references, resolve, reject });
    });
  }

  private getQueue(table: CatalogTable): RowQueue<PendingRow> {
    const name = toQueueKey(table);
    const open = this.queues.get(name);
    if (open) return open;
    const queue = new RowQueue<PendingRow>({
      limit: this.turns.limit,
      select: selectRows,
      write: (rows) => this.run(table, [...rows]),
      reject: (row, failure) => row.reject(failure),
      onIdle: () => this.queues.delete(name),
    });
    this.queues.set(name, queue);
    return queue;
  }

  /**
   * Writes rows of one kind, and reports the result to each.
   *
   * @returns the error that the pending rows would receive, too.
   */
  private async run(table: CatalogTable, rows: readonly PendingRow[]): Promise<Error | undefined> {
    const { write, references } = rows[0]!;
    try {
      const source = this.sources.combine(rows.map((row) => row.source));
      const writeBatch = () => this.writeBatch({ table, rows, source, write, references });
      const written = await this.turns.run(table.workspaceId, [table], writeBatch);
      for (const { key, resolve } of rows) resolve(written.get(key));
    } catch (error) {
      const isOfRow = SINGLE_ROW_STATES.test(sqlState(error) ?? '');
      for (const { resolve, reject } of rows) {
        if (isOfRow) resolve(undefined);
        else reject(error);
      }
      if (isLockTimeout(error)) return error as Error;
    }
    return undefined;
  }

  /** @returns the written rows by key. */
  private async writeBatch(batch: Batch): Promise<Map<string, WrittenRow>> {
    const unresolved = batch.references === 'other tables' ? await this.findUnresolved(batch) : [];
    const write = () => (batch.references === 'own table' ? this.writeChecked(batch) : this.execute(batch, unresolved));
    let written = await write();
    if (!written) written = await this.writeLocked(batch.table, write);
    return new Map(written?.map((row) => [row.key, row]));
  }

  /** Waits for the lock of the table, and writes unless the columns were changed in the meantime. */
  private writeLocked(
    table: CatalogTable,
    write: () => Promise<WrittenRow[] | undefined>,
  ): Promise<WrittenRow[] | undefined> {
    return this.database.transaction(async () => {
      const entry = await this.catalog.lockEntry(table);
      return entry?.definitionId === table.definitionId ? write() : [];
    });
  }

  /** Checks a row that refers to its own table, and writes it unless the table was changed since the checks. */
  private async writeChecked(batch: Batch): Promise<WrittenRow[] | undefined> {
    const { table, source } = batch;
    const [current] = await this.catalog.listByIds(table.workspaceId, [table.id]);
    if (current?.definitionId !== table.definitionId) return [];
    for (const column of source.columns.filter(({ type }) => type === 'hierarchyParent'))
      if ((await source.findCyclicRows(column, current)).total > 0) return [];
    const unresolved: UnresolvedReferenceDto[] = [];
    for (const reference of await this.findUnresolved(batch))
      if (!(await this.isResolvedByWrite(batch, reference))) unresolved.push(reference);
    return this.execute(batch, unresolved, current.revision);
  }

  private async execute(
    { table, rows, source, write }: Batch,
    unresolved: readonly UnresolvedReferenceDto[],
    revision?: number,
  ): Promise<WrittenRow[] | undefined> {
    const toWrite = source.toRowsToWrite(rows.map(({ accepted }) => accepted));
    const events = Object.fromEntries(rows.map(({ key, event }) => [key, event]));
    const written = await this.repository.write(table, toWrite, write, events, revision);
    if (written) this.events.numberSoon(table);
    const positions = new Map(rows.map(({ key }, position) => [key, position]));
    return written?.map((row) => {
      const position = positions.get(row.key);
      return { ...row, unresolved: unresolved.filter(({ index }) => index === position) };
    });
  }

  /** Does the reference name the row itself, which is not stored yet? */
  private async isResolvedByWrite({ table, rows, source }: Batch, reference: UnresolvedReferenceDto): Promise<boolean> {
    const column = source.columns.find(({ key }) => key === reference.column)!;
    if (reference.value !== rows[0]!.key) return false;
    return this.sources.canNameOwnRows(table, column);
  }

  /** All references without a target. */
  private async findUnresolved({ table, source }: Batch): Promise<UnresolvedReferenceDto[]> {
    const { first } = await this.sources.findUnresolved(table, source, Number.POSITIVE_INFINITY);
    return first;
  }
}

/** Rows that wait for the lock would fail too, but each statement only after the time limit of a lock. */
function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === SQLSTATE.lockNotAvailable || error instanceof UnavailableError;
}

/** The first pending row, and others of its kind with distinct keys. */
function selectRows(pending: readonly PendingRow[]): Set<PendingRow> {
  const { write, references } = pending[0]!;
  const limit = references === 'own table' ? 1 : MAX_ROWS;
  const rows = new Map<string, PendingRow>();
  for (const row of pending) {
    const isOfKind = row.write === write && row.references === references;
    if (isOfKind && rows.size < limit && !rows.has(row.key)) rows.set(row.key, row);
  }
  return new Set(rows.values());
}

function toQueueKey({ definitionId, nameKey, hasTombstones }: CatalogTable): string {
  return `${definitionId} ${nameKey} ${hasTombstones}`;
}

function findReferences(table: CatalogTable, source: ArrayRowSource): References {
  const references = source.columns.filter((column) => isReference(column.type) && source.hasValue(column));
  const isOwn = ({ type, options }: CatalogColumn) =>
    type === 'hierarchyParent' || getTargetEntity(options) === table.entity;
  return references.length === 0 ? 'none' : references.some(isOwn) ? 'own table' : 'other tables';
}
