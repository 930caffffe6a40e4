import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { JobQueues } from '../../../platform/jobs/job-queues.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { selectTablesWithOld, TombstonesRepository } from './tombstones.repository.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes old tombstones, one table per run. */
@Injectable()
export class TombstoneCleanup implements OnModuleInit {
  constructor(
    private readonly queues: JobQueues,
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly tombstones: TombstonesRepository,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const old = selectTablesWithOld(this.config.tables.tombstoneDays);
    this.queues.register('Removing tombstones of rows', old, () => this.removeNext());
  }

  /** @returns undefined if no table had old tombstones. */
  private removeNext(): Promise<0 | undefined> {
    return this.database.transaction(async () => {
      const before = new Date(Date.now() - this.config.tables.tombstoneDays * DAY_MS);
      const found = await this.tombstones.lockTableWithOld(before);
      if (!found) return undefined;
      const [known] = await this.catalog.listByIds(found.workspaceId, [found.id]);
      const table = known && (await this.catalog.lockExisting(known));
      if (table) await this.tombstones.removeOld(table, before);
      return 0;
    });
  }
}
