import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { claimOne } from '../../../platform/jobs/claim-one.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { OldTombstonesRepository, selectTablesWithOld, type TableKey } from './old-tombstones.repository.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes old tombstones, one table per run. */
@Injectable()
export class TombstoneCleanup implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly writes: CatalogWrites,
    private readonly tombstones: OldTombstonesRepository,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const due = selectTablesWithOld(this.config.tables.tombstoneDays);
    this.jobs.processQueue({ name: 'Removing tombstones of rows', due, run: () => this.removeNext() });
  }

  /** @returns undefined if no table had old tombstones. */
  private async removeNext(): Promise<0 | undefined> {
    const before = new Date(Date.now() - this.config.tables.tombstoneDays * DAY_MS);
    const tables = await this.tombstones.listTables(before);
    return claimOne(tables, (table) => this.sql.transaction(() => this.removeOf(table, before)));
  }

  /** @returns undefined if another instance removes them. */
  private async removeOf(key: TableKey, before: Date): Promise<0 | undefined> {
    if (!(await this.tombstones.lockTable(key, before))) return undefined;
    const [known] = await this.catalog.listByIds(wholeView(key.workspaceId), [key.id]);
    const table = known && (await this.writes.lockExisting(known));
    if (table) await this.tombstones.remove(table, before);
    return 0;
  }
}
