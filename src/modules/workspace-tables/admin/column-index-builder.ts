import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { isDatabaseUnavailable } from '../../../platform/database/database.errors.js';
import { SQLSTATE, sqlState } from '../../../../packages/sql/src/sql-state.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { EventsService } from '../../events/events.service.js';
import { TableIndexFailedDto } from '../catalog/dto/table-events.dto.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import {
  ColumnIndexesRepository,
  DUE_INDEXES,
  OLDEST_INDEX,
  type LeasedIndex,
  RETRY_DELAY_MS,
} from './column-indexes.repository.js';
import { listenOnce } from '../../../platform/listeners.js';

/** How often an instance renews its lease, in milliseconds. */
const HEARTBEAT_MS = 5_000;

/** SQLSTATE codes of a build that PostgreSQL cancels in favor of other transactions. */
const RETRIED_STATES: readonly string[] = [SQLSTATE.lockNotAvailable, SQLSTATE.deadlock, SQLSTATE.serializationFailure];

/** Public messages of failures, by SQLSTATE. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['53100', 'The disk of the database is full.'],
  ['53200', 'The database has too little memory.'],
  ['54000', 'A value is too long.'],
]);

/** The failures that an operator ends: the build is repeated although the table was not written. */
const FAILURES_OF_SERVER: readonly string[] = ['53100', '53200'];

/** The shortest pause after a failure of the server, in milliseconds. */
const SERVER_PAUSE_MS = 60_000;

/** How many times as long as a failed build the pause before the next one is, so that builds rarely use the disks. */
const PAUSE_FACTOR = 10;

/** A failure that a retry at once would repeat. */
interface Failure {
  /** Public. */
  message: string;
  isOfServer: boolean;
}

/**
 * Builds and drops indexes in the background, one at a time per instance, while requests read and write the table. A
 * build waits for all transactions of the database that are older than each of its steps. A change of the table cancels
 * the build (`cancelIndexBuilds`), which starts again later.
 */
@Injectable()
export class ColumnIndexBuilder implements OnModuleInit {
  private readonly logger = new Logger(ColumnIndexBuilder.name);
  /** An index that this instance has released is due after RETRY_DELAY_MS. */
  private hasReleased = false;

  constructor(
    private readonly jobs: Jobs,
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly writes: CatalogWrites,
    private readonly indexes: ColumnIndexesRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly events: EventsService,
  ) {}

  onModuleInit(): void {
    this.jobs.processQueue({
      name: 'Building indexes',
      due: DUE_INDEXES,
      run: (stopping) => this.processNext(stopping),
      oldest: { queue: 'indexes', select: OLDEST_INDEX },
    });
  }

  /** @returns how long to wait until the next call, in milliseconds; undefined if no index was due. */
  private async processNext(stopping: AbortSignal): Promise<number | undefined> {
    const leased = await this.indexes.acquire(randomUUID());
    if (!leased) return this.takeRetryDelay();
    const [table] = await this.catalog.listByIds(wholeView(leased.workspaceId), [leased.tableId]);
    const columns = leased.ordinals.flatMap((each) => table?.columns.find(({ ordinal }) => ordinal === each) ?? []);
    // A column was dropped in the meantime, and the entries of its indexes with it.
    if (!table || columns.length < leased.ordinals.length) return 0;
    const abort = new AbortController();
    const heartbeat = setInterval(() => void this.renew(leased, table, abort), HEARTBEAT_MS);
    const endListening = listenOnce(stopping, 'abort', () => void this.cancel(table, abort));
    try {
      await this.execute(leased, table, columns, abort.signal);
    } finally {
      clearInterval(heartbeat);
      endListening();
    }
    return 0;
  }

  private async execute(
    leased: LeasedIndex,
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = performance.now();
    try {
      if (leased.state === 'dropping') await this.drop(leased, table, columns, signal);
      else await this.build(leased, table, columns, signal);
    } catch (error) {
      const failure = signal.aborted ? undefined : findFailure(error);
      const reason = `${leased.state}: ${(error as Error).message}`;
      this.logger.warn(`The index (${keysOf(columns).join(', ')}) of table ${table.id} failed while ${reason}`);
      if (failure === undefined || leased.state === 'dropping') {
        await this.release(leased);
        return;
      }
      // An invalid index would slow down writes without serving any query.
      await this.indexes.drop(table, columns, signal).catch(() => undefined);
      await this.fail(leased, table, columns, failure, performance.now() - startedAt);
    }
  }

  /** An index that fails again for the same reason is not reported again. */
  private async fail(
    leased: LeasedIndex,
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    { message, isOfServer }: Failure,
    duration: number,
  ): Promise<void> {
    const pauseMs = Math.max(isOfServer ? SERVER_PAUSE_MS : RETRY_DELAY_MS, Math.ceil(PAUSE_FACTOR * duration));
    await this.sql.transaction(async () => {
      const isFailed = await this.indexes.fail(leased, message, isOfServer ? 0 : table.revision, pauseMs);
      if (!isFailed || message === leased.message) return;
      const { workspaceId, id, entity, name } = table;
      const data = { table: { id, entity, name }, columns: keysOf(columns), message };
      await this.events.record(workspaceId, TableIndexFailedDto, data);
    });
  }

  private async build(
    leased: LeasedIndex,
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    signal: AbortSignal,
  ) {
    if (await this.indexes.isInProgress(table, columns)) {
      await this.release(leased);
      return;
    }
    const state = await this.indexes.findState(table, columns);
    if (state === 'invalid') await this.indexes.drop(table, columns, signal);
    if (state !== 'valid') await this.indexes.build(table, columns, signal);
    await this.indexes.analyze(table, signal);
    await this.sql.transaction(async () => {
      // Requests lock the table before they change the entry of an index.
      await this.writes.lockEntry(table);
      await this.indexes.finish(leased);
      await this.writes.changeDefinition(table);
    });
  }

  private async drop(leased: LeasedIndex, table: CatalogTable, columns: readonly CatalogColumn[], signal: AbortSignal) {
    await this.physical.cancelIndexBuilds(table);
    await this.indexes.drop(table, columns, signal);
    if (!(await this.indexes.deleteEntry(leased))) await this.release(leased);
  }

  private async release(leased: LeasedIndex): Promise<void> {
    this.hasReleased = true;
    await this.indexes.release(leased);
  }

  private takeRetryDelay(): number | undefined {
    const { hasReleased } = this;
    this.hasReleased = false;
    return hasReleased ? RETRY_DELAY_MS : undefined;
  }

  /**
   * Cancels the build if another instance has the lease, the column was dropped, or the index is no longer requested.
   */
  private async renew(leased: LeasedIndex, table: CatalogTable, abort: AbortController): Promise<void> {
    const isRenewed = await this.indexes.renew(leased).catch(() => true);
    if (!isRenewed && leased.state === 'building') await this.cancel(table, abort);
  }

  /** PostgreSQL notices a closed connection only at the end of the statement, so the statement is cancelled first. */
  private async cancel(table: CatalogTable, abort: AbortController): Promise<void> {
    await this.physical.cancelIndexBuilds(table).catch(() => undefined);
    abort.abort();
  }
}

function keysOf(columns: readonly CatalogColumn[]): string[] {
  return columns.map(({ key }) => key);
}

/** Undefined if the build will be retried soon. */
function findFailure(error: unknown): Failure | undefined {
  const state = sqlState(error) ?? '';
  const message = FAILURES.get(state);
  if (message !== undefined) return { message, isOfServer: FAILURES_OF_SERVER.includes(state) };
  if (state === SQLSTATE.queryCanceled && /statement timeout/.test((error as Error).message))
    return { message: 'The build exceeded the statement timeout of the database.', isOfServer: false };
  if (RETRIED_STATES.includes(state) || isDatabaseUnavailable(error)) return undefined;
  const name = state || (error as Error).name;
  return { message: `The database reported an error (${name}).`, isOfServer: false };
}
