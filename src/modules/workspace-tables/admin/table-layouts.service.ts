import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';

/** Tables that are looked up together. */
const BATCH = 100;

/** Brings physical tables to the newest layout on the operator's word; otherwise each is at its first write. */
@Injectable()
export class TableLayoutsService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
  ) {}

  /** Each table in a transaction of its own. @returns how many were upgraded. @throws {UnavailableError} */
  async upgradeAll(): Promise<number> {
    let upgraded = 0;
    let found: { workspaceId: string; id: string }[] = [];
    do {
      found = await this.catalog.listOutdated(found.at(-1)?.id, BATCH);
      for (const { workspaceId, id } of found) {
        await this.database.transaction(async () => {
          const [table] = await this.catalog.listByIds(workspaceId, [id]);
          if (!table) return;
          await this.catalog.lockAll([table]);
          if (await this.physical.upgrade(table)) upgraded++;
        });
      }
    } while (found.length === BATCH);
    return upgraded;
  }
}
