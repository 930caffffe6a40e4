import { Injectable } from '@nestjs/common';
import { SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { DomainError, UnavailableError } from '../../../platform/http/domain-error.js';
import { type CatalogTable, toMissingTableError } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { RowsRepository, type StoredRow } from '../catalog/rows.repository.js';
import { EventsService } from '../../events/events.service.js';
import { TablePermissions } from '../catalog/table-permissions.js';
import { TableTurns } from '../catalog/table-turns.js';
import { MergeEngine } from './merge-engine.js';
import type { UnresolvedReferenceDto } from '../sources/dto/row-results.dto.js';
import { InvalidTablesError, type TableError } from '../workspace-tables.errors.js';

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
  /** @param stored the row as the caller may read it. @throws {DomainError} if it does not meet the conditions. */
  requireConditions: (stored: StoredRow | undefined) => void;
}

/** What a request has done. */
export interface ChangedRow {
  /** With its new revision, and as the caller may read it. */
  table: CatalogTable;
  /** As it was before. */
  before: StoredRow | undefined;
  /** As it is now; undefined if it was deleted. */
  after: StoredRow | undefined;
  unresolved: readonly UnresolvedReferenceDto[];
  /** The violated constraints that are warnings. */
  warnings: readonly TableError[];
}

interface PendingRequest extends RowRequest {
  resolve: (changed: ChangedRow) => void;
  reject: (error: unknown) => void;
}

/** The table was dropped or renamed since it was read. */
export class TableReplaced extends Error {}

/** Rolls back a change set of several requests in which a row is invalid because of the others, or causes an error. */
class NotTogether extends Error {}

/**
 * Changes single rows. Requests for one table that arrive while another one waits for the disk are joined to one change
 * set: they share a transaction, a revision and an event. Each has its own conditions and its own result, as without
 * the others: if the rows of a change set are not all valid together, they are written one by one.
 *
 * Requests are joined only if they have the same view of the table: the same user, and the same access policies. The
 * requests of a queue are always in one of these states:
 *
 * | State    | Leaves the state                                                                      |
 * | -------- | ------------------------------------------------------------------------------------- |
 * | pending  | to running, when the change set before it ends; to rejected, if that got no lock in time |
 * | running  | to resolved or rejected                                                               |
 */
@Injectable()
export class RowRequests {
  /** The pending requests of each queue. A queue exists while a change set of it runs. */
  private readonly queues = new Map<string, PendingRequest[]>();

  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogWrites,
    private readonly engine: MergeEngine,
    private readonly rows: RowsRepository,
    private readonly turns: TableTurns,
    private readonly permissions: TablePermissions,
    private readonly events: EventsService,
  ) {}

  /**
   * @param known the table as it was read before.
   * @throws {TableReplaced | DomainError}
   */
  async execute(known: CatalogTable, request: RowRequest): Promise<ChangedRow> {
    // A write in an open transaction is a part of it.
    if (this.database.isInTransaction) {
      const [result] = await this.change(known, [request]);
      if (result instanceof DomainError) throw result;
      return result!;
    }
    return new Promise((resolve, reject) => {
      const pending = { ...request, resolve, reject };
      const name = this.toQueueName(known);
      const queue = this.queues.get(name);
      if (queue) queue.push(pending);
      else void this.run(name, known, [pending]);
    });
  }

  private toQueueName({ workspaceId, id, nameKey }: CatalogTable): string {
    const { userId, source } = this.events.currentActor();
    return [id, nameKey, userId, source, this.permissions.findVersion(workspaceId)].join(' ');
  }

  /** Executes the requests of a queue until none is pending. Never rejects. */
  private async run(name: string, known: CatalogTable, queue: PendingRequest[]): Promise<void> {
    this.queues.set(name, queue);
    while (queue.length > 0) {
      const failure = await this.executeTogether(known, takeDistinct(queue));
      // The pending requests would fail too, but each only after the time limit of a lock.
      if (failure && isLockTimeout(failure)) for (const { reject } of queue.splice(0)) reject(failure);
    }
    this.queues.delete(name);
  }

  /** @returns the error of all requests, if any. */
  private async executeTogether(known: CatalogTable, requests: readonly PendingRequest[]): Promise<unknown> {
    try {
      const change = () => this.database.transaction(() => this.change(known, requests));
      const results = await this.turns.run(known.workspaceId, [known], change);
      for (const [at, { resolve, reject }] of requests.entries()) {
        const result = results[at]!;
        if (result instanceof DomainError) reject(result);
        else resolve(result);
      }
      return undefined;
    } catch (error) {
      if (requests.length > 1 && isOfOneRow(error)) {
        for (const request of requests) await this.executeTogether(known, [request]);
        return undefined;
      }
      for (const { reject } of requests) reject(error);
      return error;
    }
  }

  /** Locks the table, and changes the rows whose conditions are met. @returns the results, in the same order. */
  private async change(known: CatalogTable, requests: readonly RowRequest[]): Promise<(ChangedRow | DomainError)[]> {
    const table = await this.catalog.lockExisting(known);
    if (table?.nameKey !== known.nameKey) throw new TableReplaced();
    const readable = this.permissions.permitWrite(table, toMissingTableError) ?? table;
    const before = await this.rows.findAll(readable, listKeys(requests));
    const checked = requests.map((request) => checkRequest(request, readable, before.get(request.key)));
    const isAccepted = (at: number) => !(checked[at] instanceof DomainError);
    const written = requests.filter((_, at) => isAccepted(at) && checked[at] !== undefined);
    const deleted = requests.filter((_, at) => checked[at] === undefined);
    const items = checked.filter((item): item is object => item !== undefined && !(item instanceof DomainError));
    const report = await this.write(table, items, listKeys(deleted));
    const isChanged = report.revision > table.revision;
    const after = isChanged ? await this.rows.findAll(readable, listKeys(written)) : before;
    const current = { ...readable, revision: report.revision };
    return requests.map((request, at) => {
      const { key } = request;
      if (checked[at] instanceof DomainError) return checked[at];
      const results = { table: current, before: before.get(key), unresolved: [], warnings: [] };
      if (checked[at] === undefined) return { ...results, after: undefined };
      const ofRow = <T extends object>(all: readonly T[]) =>
        all.filter((each) => 'index' in each && each.index === written.indexOf(request));
      const errors = ofRow(report.errors);
      if (errors.length > 0) return createInvalidRowError(errors, report.totalErrors);
      const { unresolved, warnings } = report;
      return { ...results, after: after.get(key), unresolved: ofRow(unresolved), warnings: ofRow(warnings) };
    });
  }

  /** @throws {NotTogether} if a row is invalid because of the others, or not all errors are listed. */
  private async write(table: CatalogTable, items: readonly object[], deletions: readonly string[]) {
    const { entity, name, id, columns } = table;
    // A row may have an unresolved reference per column.
    const options = { continueOnError: true, maxUnresolved: columns.length * items.length };
    const merge = await this.engine.readLocked(table, { entity, name, id, items, deletions }, options);
    const { errors } = merge.tables[0]!.plan.source;
    const invalid = errors.total;
    const report = await this.engine.write(merge);
    const isComplete = errors.total === report.errors.length;
    if (items.length > 1 && (errors.total > invalid || !isComplete)) throw new NotTogether();
    return {
      revision: report.tables[0]!.revision,
      errors: report.errors as TableError[],
      totalErrors: items.length === 1 ? errors.total : undefined,
      unresolved: report.tables[0]!.unresolved.first,
      warnings: (report.warnings?.errors ?? []) as TableError[],
    };
  }
}

function listKeys(requests: readonly RowRequest[]): string[] {
  return requests.map(({ key }) => key);
}

/** @returns the row to write, undefined to delete the row, or why neither is done. */
function checkRequest(
  { toItem, requireConditions }: RowRequest,
  table: CatalogTable,
  stored: StoredRow | undefined,
): object | undefined {
  try {
    const item = toItem(table);
    requireConditions(stored);
    return item;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
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
  return sqlState(error) === SQLSTATE.lockNotAvailable || error instanceof UnavailableError;
}

export function createInvalidRowError(errors: readonly TableError[], total?: number): InvalidTablesError {
  const message = 'The row cannot be stored; nothing was stored. Correct the values in details.errors.';
  // A row of a path has no position.
  const ofRow = errors.map((error) => ({ ...error, index: undefined }));
  return new InvalidTablesError('invalid_rows', message, ofRow, { total });
}
