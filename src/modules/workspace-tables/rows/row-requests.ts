import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { ColumnFinder } from '../../../../packages/tabular/src/column-finder.js';
import { SQLSTATE, sqlState } from '../../../../packages/sql/src/sql-state.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { DomainError, UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { toMissingTableError } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { RowsRepository, type StoredRow } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { TableTurns } from '../catalog/table-turns.js';
import { findPolicyVersion, type View } from '../../../../packages/tables/src/catalog/view.js';
import { TableLog } from '../../../../packages/tables/src/history/table-log.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { UnresolvedReference } from '../../../../packages/tables/src/sources/row-source.js';
import { ReadOnlyError } from '../../../../packages/tables/src/catalog/policy.errors.js';
import { InvalidTablesError, type TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';

/** Requests of one change set. */
const MAX_ROWS = 100;

/**
 * Errors that one row may cause: data exceptions, constraints, program limits, features that the server does not
 * support.
 */
const SINGLE_ROW_STATES = /^(?:0A|22|23|42|54)/;

/** A request that changes one row. */
export interface RowRequest {
  /** The key of the row, as it is stored. */
  key: string;
  /**
   * The row to write, with its key; undefined to delete the row.
   *
   * @param table as it is under its lock, and as the caller may read it.
   * @throws {DomainError}
   */
  toItem: (table: CatalogTable) => object | undefined;
  /** @param stored the row, if the caller may read it. @throws {DomainError} if it does not meet the conditions. */
  requireConditions: (stored: Pick<StoredRow, 'revision'> | undefined) => void;
}

/** What a request has done. */
export interface ChangedRow {
  /** With its new revision, and as the caller may read it. */
  table: CatalogTable;
  /** Did the caller find no row with the key before? */
  isNew: boolean;
  /** The row as it is now; undefined if it was deleted. */
  row: StoredRow | undefined;
  unresolved: readonly UnresolvedReference[];
  /** The violated constraints that are warnings. */
  warnings: readonly TableError[];
}

interface PendingRequest extends RowRequest {
  /** Equal for all requests of a queue. */
  view: View;
  /** Runs work in the context of the request. */
  inContext: (work: () => Promise<unknown>) => Promise<unknown>;
  resolve: (changed: ChangedRow) => void;
  reject: (error: unknown) => void;
}

/** The table was dropped or renamed since it was read. */
export class TableReplaced extends Error {}

/** Rolls back a change set of several requests in which rows are invalid because of the others. */
class NotTogether extends Error {
  /** @param keys of these rows; undefined if unknown. */
  constructor(readonly keys?: ReadonlySet<string>) {
    super();
  }
}

/**
 * Changes single rows. Requests for one table that arrive while another one waits for the disk are joined to one change
 * set: they share a transaction, a revision and an event. Each has its own conditions and its own result, as without
 * the others: rows that are invalid because of others are written one by one, after those.
 *
 * Requests are joined only if they have the same view of the table: the same user, and the same access policies. The
 * requests of a queue are always in one of these states:
 *
 * | State   | Leaves the state                                                                         |
 * | ------- | ---------------------------------------------------------------------------------------- |
 * | pending | to running, when the change set before it ends; to rejected, if that got no lock in time |
 * | running | to resolved or rejected                                                                  |
 */
@Injectable()
export class RowRequests {
  /** The pending requests of each queue. A queue exists while a change set of it runs. */
  private readonly queues = new Map<string, PendingRequest[]>();

  constructor(
    private readonly sql: Sql,
    private readonly writes: CatalogWrites,
    private readonly engine: MergeEngine,
    private readonly rows: RowsRepository,
    private readonly turns: TableTurns,
    private readonly permissions: TablePermissions,
    private readonly log: TableLog,
  ) {}

  /**
   * @param known the table as it was read before.
   * @throws {TableReplaced | DomainError}
   */
  async execute(view: View, known: CatalogTable, request: RowRequest): Promise<ChangedRow> {
    // A write in an open transaction is a part of it.
    if (this.sql.isInTransaction) {
      const [result] = await this.changeInTurn(view, known, [request]);
      if (result instanceof DomainError) throw result;
      return result!;
    }
    return new Promise((resolve, reject) => {
      const pending = { ...request, view, inContext: AsyncLocalStorage.snapshot(), resolve, reject };
      const name = this.toQueueName(view, known);
      const queue = this.queues.get(name);
      if (queue) queue.push(pending);
      else void this.run(name, known, [pending]);
    });
  }

  private toQueueName(view: View, { id, nameKey }: CatalogTable): string {
    const { userId, source } = this.log.currentActor();
    return [id, nameKey, userId, source, findPolicyVersion(view), JSON.stringify(view.subtrees)].join(' ');
  }

  /** Executes the requests of a queue until none is pending. Never rejects. */
  private async run(name: string, known: CatalogTable, queue: PendingRequest[]): Promise<void> {
    this.queues.set(name, queue);
    while (queue.length > 0) {
      const requests = takeDistinct(queue);
      const failure = await requests[0]!.inContext(() => this.executeTogether(known, requests));
      // The pending requests would fail too, but each only after the time limit of a lock.
      if (isLockTimeout(failure)) for (const { reject } of queue.splice(0)) reject(failure);
    }
    this.queues.delete(name);
  }

  /** Never rejects. @returns the error of all requests, or of those that were executed last, if any. */
  private async executeTogether(known: CatalogTable, requests: readonly PendingRequest[]): Promise<unknown> {
    if (requests.length === 0) return undefined;
    try {
      const results = await this.changeInTurn(requests[0]!.view, known, requests);
      for (const [at, { resolve, reject }] of requests.entries()) {
        const result = results[at]!;
        if (result instanceof DomainError) reject(result);
        else resolve(result);
      }
      return undefined;
    } catch (error) {
      if (requests.length > 1 && isOfOneRow(error)) return this.divide(known, requests, error);
      for (const { reject } of requests) reject(error);
      return error;
    }
  }

  /** Executes the requests that are not the reason of the error together, then the others one by one. */
  private async divide(known: CatalogTable, requests: readonly PendingRequest[], error: unknown): Promise<unknown> {
    const isReason = ({ key }: RowRequest) => !(error instanceof NotTogether) || (error.keys?.has(key) ?? true);
    const parts = [requests.filter((each) => !isReason(each)), ...requests.filter(isReason).map((each) => [each])];
    for (const [at, part] of parts.entries()) {
      const failure = await this.executeTogether(known, part);
      if (!isLockTimeout(failure)) continue;
      for (const { reject } of parts.slice(at + 1).flat()) reject(failure);
      return failure;
    }
    return undefined;
  }

  private changeInTurn(
    view: View,
    known: CatalogTable,
    requests: readonly RowRequest[],
  ): Promise<(ChangedRow | DomainError)[]> {
    const change = () => this.sql.transaction(() => this.change(view, known, requests));
    return this.turns.run(known.workspaceId, [known], change);
  }

  /** Locks the table, and changes the rows whose conditions are met. @returns the results, in the same order. */
  private async change(
    view: View,
    known: CatalogTable,
    requests: readonly RowRequest[],
  ): Promise<(ChangedRow | DomainError)[]> {
    const table = await this.writes.lockExisting(known);
    if (table?.nameKey !== known.nameKey) throw new TableReplaced();
    const readable = this.permissions.permitWrite(view, table, toMissingTableError) ?? table;
    const before = await this.rows.findRevisions(readable, listKeys(requests));
    const checked = requests.map((request) => checkRequest(request, readable, before.get(request.key)));
    const written = requests.filter((_, at) => isItem(checked[at]));
    const deleted = requests.filter((_, at) => checked[at] === undefined);
    const report = await this.write(view, table, checked.filter(isItem), listKeys(written), listKeys(deleted));
    const rows = await this.rows.findAll(readable, listKeys(written));
    // A policy may permit a row only because of one that another request has deleted.
    const hidden = listKeys(written).filter((key) => !rows.has(key) && !report.errors.has(key));
    if (hidden.length > 0) throw new NotTogether(new Set(hidden));
    return requests.map(({ key }, at) => {
      if (checked[at] instanceof DomainError) return checked[at];
      const error = report.errors.get(key);
      if (error) return error;
      const index = listKeys(written).indexOf(key);
      return {
        table: { ...readable, revision: report.revision },
        isNew: !before.has(key),
        row: rows.get(key),
        unresolved: report.unresolved.filter((each) => each.index === index),
        warnings: report.warnings.filter((each) => each.index === index),
      };
    });
  }

  /**
   * @param keys of the items.
   * @returns also the errors of invalid rows by their keys.
   * @throws {NotTogether} if a row is invalid because of the others, or not all errors and warnings are listed.
   */
  private async write(
    view: View,
    table: CatalogTable,
    items: readonly object[],
    keys: readonly string[],
    deletions: readonly string[],
  ) {
    const { columns } = table;
    const isOne = items.length + deletions.length === 1;
    // A row may have an unresolved reference per column.
    const options = { continueOnError: true, maxUnresolved: columns.length * items.length };
    const locked = await this.engine.readLocked(view, table, { items, deletions });
    const { errors } = locked.plan.source;
    const unreadable = new Set(errors.first.map(({ index }) => index));
    const { tables, warnings, ...report } = await this.engine.write({ view, options, tables: [locked] });
    const listed = report.errors;
    const isComplete =
      countAll(report.summary) === listed.length && countAll(warnings?.summary) === (warnings?.errors ?? []).length;
    if (!isOne && !isComplete) throw new NotTogether();
    const invalid = listed.flatMap(({ index }) => (unreadable.has(index!) ? [] : keys[index!]!));
    if (!isOne && invalid.length > 0) throw new NotTogether(new Set(invalid));
    const byKey = new Map(
      [...new Set(listed.map(({ index }) => index!))].map((index): [string, InvalidTablesError] => {
        const ofRow = listed.filter((error) => error.index === index);
        return [keys[index]!, createInvalidRowError(ofRow, isOne ? errors.total : ofRow.length)];
      }),
    );
    const { revision, unresolved } = tables[0]!;
    return {
      revision,
      errors: byKey,
      unresolved: unresolved.first,
      warnings: warnings?.errors ?? [],
    };
  }
}

function listKeys(requests: readonly RowRequest[]): string[] {
  return requests.map(({ key }) => key);
}

function countAll(summary: readonly { count: number }[] = []): number {
  return summary.reduce((sum, { count }) => sum + count, 0);
}

function isItem(checked: object | undefined): checked is object {
  return checked !== undefined && !(checked instanceof DomainError);
}

/** @returns the row to write, undefined to delete the row, or why neither is done. */
function checkRequest(
  { toItem, requireConditions }: RowRequest,
  table: CatalogTable,
  stored: Pick<StoredRow, 'revision'> | undefined,
): object | undefined {
  try {
    const item = toItem(table);
    if (item) requireWritable(table, item);
    requireConditions(stored);
    return item;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** @throws {ReadOnlyError} if the item has a column that the caller may not change. */
function requireWritable(table: CatalogTable, item: object): void {
  const readOnly = table.permission?.readOnly;
  if (!readOnly) return;
  const finder = new ColumnFinder(table.columns);
  for (const name of Object.keys(item))
    for (const { key, primaryKey } of finder.find(name))
      if (!primaryKey && readOnly.has(key)) throw new ReadOnlyError(table, key);
}

/** Removes the first requests from the queue, as many as have distinct keys. */
function takeDistinct(queue: PendingRequest[]): PendingRequest[] {
  const keys = new Set<string>();
  let count = 0;
  while (count < Math.min(queue.length, MAX_ROWS) && !keys.has(queue[count]!.key)) keys.add(queue[count++]!.key);
  return queue.splice(0, count);
}

/** May one of several rows be the reason? */
function isOfOneRow(error: unknown): boolean {
  if (isLockTimeout(error)) return false;
  return error instanceof NotTogether || error instanceof DomainError || SINGLE_ROW_STATES.test(sqlState(error) ?? '');
}

function isLockTimeout(error: unknown): boolean {
  const isBusy = error instanceof UnavailableError && error.code === HTTP_ERRORS.busy.code;
  return isBusy || sqlState(error) === SQLSTATE.lockNotAvailable;
}

export function createInvalidRowError(errors: readonly TableError[], total?: number): InvalidTablesError {
  const message = 'The row cannot be stored; nothing was stored. Correct the values in details.errors.';
  // A row of a path has no position.
  const ofRow = errors.map((error) => ({ ...error, index: undefined }));
  return new InvalidTablesError('invalid_rows', message, ofRow, { total });
}
