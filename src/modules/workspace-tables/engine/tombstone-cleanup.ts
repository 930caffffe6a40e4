import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { BackgroundJobs } from '../../../platform/jobs/background-jobs.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** Pause after a run that found nothing to do, in milliseconds. */
const PAUSE_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes old tombstones, one table per run. */
@Injectable()
export class TombstoneCleanup implements OnModuleInit {
  constructor(
    private readonly background: BackgroundJobs,
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly tombstones: TombstonesRepository,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.background.register('Removing tombstones of rows', () => this.removeNext());
  }

  /** @returns the pause before the next run, in milliseconds. */
  private removeNext(): Promise<number> {
    return this.database.transaction(async () => {
      const before = new Date(Date.now() - this.config.tables.tombstoneDays * DAY_MS);
      const found = await this.tombstones.lockTableWithOld(before);
      if (!found) return PAUSE_MS;
      const [table] = await this.catalog.listByIds(found.workspaceId, [found.id]);
      if (table) await this.tombstones.removeOld(table, before);
      return 0;
    });
  }
}
