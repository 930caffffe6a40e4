import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';

/** Number of tables per lookup. */
const BATCH = 100;

/** Upgrades physical tables to the current layout on request of the operator. Otherwise the first write upgrades a table. */
@Injectable()
export class TableLayoutsService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
  ) {}

  /** Upgrades each table in its own transaction. @returns the number of upgraded tables. @throws {UnavailableError} */
  async upgradeAll(): Promise<number> {
    let upgraded = 0;
    let found: { workspaceId: string; id: string }[] = [];
    do {
      found = await this.catalog.listOutdated(found.at(-1)?.id, BATCH);
      for (const { workspaceId, id } of found) if (await this.upgrade(workspaceId, id)) upgraded++;
    } while (found.length === BATCH);
    return upgraded;
  }

  private upgrade(workspaceId: string, id: string): Promise<boolean> {
    return this.database.transaction(async () => {
      const [table] = await this.catalog.listByIds(workspaceId, [id]);
      if (!table) return false;
      await this.catalog.lockAll([table]);
      return this.physical.upgradeLayout(table);
    });
  }
}
