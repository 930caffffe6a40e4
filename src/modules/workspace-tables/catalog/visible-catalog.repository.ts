import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CatalogRepository, type CatalogTable } from './catalog.repository.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import { ReadMoments } from './read-moments.js';
import { TablePermissions } from './table-permissions.js';

/**
 * The catalog as the caller may read it: without the tables and columns that the access policies of the caller hide,
 * and with the permitted rows as the `relation` of each table; while a former moment is read (`ReadMoments`), with the
 * rows of that moment. Injected as `CatalogRepository`, so that reads obey
 * policies unless they use `CatalogWrites`.
 */
@Injectable()
export class VisibleCatalog extends CatalogRepository {
  constructor(
    database: Database,
    private readonly all: CatalogWrites,
    private readonly permissions: TablePermissions,
    private readonly moments: ReadMoments,
  ) {
    super(database);
  }

  override async select(condition: string, parameters: readonly unknown[]): Promise<CatalogTable[]> {
    const tables = await this.moments.apply(await this.all.select(condition, parameters));
    return tables.length > 0 && this.permissions.isRestricted(tables[0]!.workspaceId)
      ? this.permissions.restrict(tables)
      : tables;
  }

  override async countByWorkspace(workspaceIds: readonly string[]): Promise<Map<string, number>> {
    const counts = await super.countByWorkspace(workspaceIds);
    for (const id of workspaceIds.filter((each) => this.permissions.isRestricted(each)))
      counts.set(id, (await this.listAll(id)).length);
    return counts;
  }
}
