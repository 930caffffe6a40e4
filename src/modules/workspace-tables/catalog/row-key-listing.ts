import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type BackgroundJob, BackgroundJobs } from '../../../platform/jobs/background-jobs.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import type { EntityKind } from './entity-kind.js';
import { RowKeysRepository } from './row-keys.repository.js';

/** Lists the keys of tables in the background, on request of a reader that had to read many tables. */
@Injectable()
export class RowKeyListing implements OnModuleInit {
  private readonly requested = new Map<string, { workspaceId: string; entity: EntityKind }>();
  private job: BackgroundJob;

  constructor(
    private readonly background: BackgroundJobs,
    private readonly database: Database,
    private readonly catalog: CatalogWrites,
    private readonly keys: RowKeysRepository,
  ) {}

  onModuleInit(): void {
    this.job = this.background.register('Listing keys of rows', (stopping) => this.listNext(stopping), undefined);
  }

  request(workspaceId: string, entity: EntityKind): void {
    this.requested.set(`${workspaceId} ${entity}`, { workspaceId, entity });
    this.job.runSoon();
  }

  /** @returns no pause if other tables are requested. */
  private async listNext(stopping: AbortSignal): Promise<number | undefined> {
    const [next] = this.requested;
    if (!next) return undefined;
    const [name, { workspaceId, entity }] = next;
    this.requested.delete(name);
    for (const { id } of await this.catalog.listWithUnlistedKeys(workspaceId, entity)) {
      while (!stopping.aborted && !(await this.listChanges(workspaceId, id)));
      if (stopping.aborted) break;
    }
    return 0;
  }

  /** A part of the changes of a table. @returns whether there are no others. */
  private listChanges(workspaceId: string, id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const [table] = await this.catalog.listByIds(workspaceId, [id]);
      return !table || this.keys.listChanges(table);
    });
  }
}
