import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { BackgroundJobs } from '../../../platform/jobs/background-jobs.js';
import { isDatabaseUnavailable, SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { type ClaimedIndex, ColumnIndexesRepository } from './column-indexes.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';

/** How often an instance looks for indexes to build, and says that it is still at one, in milliseconds. */
const PAUSE_MS = 1_000;
const HEARTBEAT_MS = 5_000;

/** States in which PostgreSQL breaks a build off for the sake of others. */
const GIVES_WAY: readonly string[] = [SQLSTATE.lockNotAvailable, SQLSTATE.deadlock, SQLSTATE.serializationFailure];

/** What callers are told where PostgreSQL refuses for good. */
const REASONS: Record<string, string> = {
  '53100': 'The disk of the database is full.',
  '53200': 'The database has too little memory.',
  '54000': 'A value is too long.',
};

/**
 * Builds and drops the indexes of columns off the request's path, one at a time an instance, while reads and writes go on.
 * PostgreSQL waits for transactions older than its own step, so it may take as long as the longest of them; it gives way to
 * whoever changes the table, and begins again.
 */
@Injectable()
export class ColumnIndexBuilder implements OnModuleInit {
  private readonly logger = new Logger(ColumnIndexBuilder.name);

  constructor(
    private readonly background: BackgroundJobs,
    private readonly catalog: CatalogRepository,
    private readonly indexes: ColumnIndexesRepository,
    private readonly physical: PhysicalTablesRepository,
  ) {}

  onModuleInit(): void {
    this.background.register('Building indexes', (stopping) => this.seeToNext(stopping));
  }

  /** @returns how long to wait for the next one. */
  private async seeToNext(stopping: AbortSignal): Promise<number> {
    const claimed = await this.indexes.claim(randomUUID());
    if (!claimed) return PAUSE_MS;
    const [table] = await this.catalog.listByIds(claimed.workspaceId, [claimed.tableId]);
    const column = table?.columns.find(({ ordinal }) => ordinal === claimed.ordinal);
    // Dropped in between, and its entry with it.
    if (!table || !column) return 0;
    const given = new AbortController();
    const heartbeat = setInterval(() => void this.holdOn(claimed, table, given), HEARTBEAT_MS);
    const stop = () => void this.giveUp(table, given);
    stopping.addEventListener('abort', stop, { once: true });
    try {
      await this.carryOut(claimed, table, column, given.signal);
    } finally {
      clearInterval(heartbeat);
      stopping.removeEventListener('abort', stop);
    }
    return 0;
  }

  private async carryOut(
    claimed: ClaimedIndex,
    table: CatalogTable,
    column: CatalogColumn,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      if (claimed.state === 'dropping') await this.drop(claimed, table, column, signal);
      else await this.build(claimed, table, column, signal);
    } catch (error) {
      const reason = signal.aborted ? undefined : reasonOf(error);
      if (reason === undefined) {
        await this.indexes.release(claimed);
        return;
      }
      this.logger.warn(`The index of column ${column.key} of table ${table.id} failed: ${(error as Error).message}`);
      // What is left of it would slow writes down and serve nobody.
      await this.indexes.drop(table, column, signal).catch(() => undefined);
      await this.indexes.finish(claimed, 'failed', reason);
    }
  }

  private async build(claimed: ClaimedIndex, table: CatalogTable, column: CatalogColumn, signal: AbortSignal) {
    if (await this.indexes.isUnderWay(table, column)) {
      await this.indexes.release(claimed);
      return;
    }
    const state = await this.indexes.findState(table, column);
    if (state === 'invalid') await this.indexes.drop(table, column, signal);
    if (state !== 'valid') await this.indexes.build(table, column, signal);
    await this.indexes.finish(claimed, 'ready', null);
  }

  private async drop(claimed: ClaimedIndex, table: CatalogTable, column: CatalogColumn, signal: AbortSignal) {
    await this.physical.cancelIndexBuilds(table);
    await this.indexes.drop(table, column, signal);
    await this.indexes.forget(claimed);
  }

  /** Another instance has the claim, the column is gone, or its index is no longer wanted: it is not built to the end. */
  private async holdOn(claimed: ClaimedIndex, table: CatalogTable, given: AbortController): Promise<void> {
    const holds = await this.indexes.extend(claimed).catch(() => true);
    if (!holds && claimed.state === 'building') await this.giveUp(table, given);
  }

  /** PostgreSQL is told to stop; the closed connection alone it would notice at the end. */
  private async giveUp(table: CatalogTable, given: AbortController): Promise<void> {
    await this.physical.cancelIndexBuilds(table).catch(() => undefined);
    given.abort();
  }
}

/** Why it is not to be tried again; undefined where it is. */
function reasonOf(error: unknown): string | undefined {
  const state = sqlState(error) ?? '';
  if (state === SQLSTATE.queryCanceled && /statement timeout/.test((error as Error).message))
    return 'It took longer than the database lets a statement take.';
  if (GIVES_WAY.includes(state) || isDatabaseUnavailable(error)) return undefined;
  return REASONS[state] ?? `The database refused it (${state || (error as Error).name}).`;
}
