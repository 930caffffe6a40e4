import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { PreparedStatement } from '../../../platform/database/prepared-statements.js';
import { CatalogRepository, type CatalogTable } from './catalog.repository.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import { ReadMoments } from './read-moments.js';
import { TablePermissions } from './table-permissions.js';

/**
 * The catalog as the caller may read it: without the tables and columns that the access policies of the caller hide,
 * and with the permitted rows as the `rows` of each table; while a former moment is read (`ReadMoments`), with the
 * rows of that moment. Injected as `CatalogRepository`, so that reads obey policies unless they use `CatalogWrites`.
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

  override async select(
    condition: string,
    parameters: readonly unknown[],
    name?: PreparedStatement,
  ): Promise<CatalogTable[]> {
    const all = await this.all.select(condition, parameters, name);
    const isRestricted = all.length > 0 && this.permissions.isRestricted(all[0]!.workspaceId);
    if (!isRestricted) return this.moments.apply(all);
    // The error of a table without the rows of the moment names it, so that hidden tables are omitted before.
    const known = this.moments.isPast ? all.filter((table) => this.permissions.find(table)) : all;
    return this.permissions.restrict(await this.moments.apply(known));
  }

  override async countByWorkspace(workspaceIds: readonly string[]): Promise<Map<string, number>> {
    const counts = await super.countByWorkspace(workspaceIds);
    for (const id of workspaceIds.filter((each) => this.permissions.isRestricted(each)))
      counts.set(id, (await this.listAll(id)).length);
    return counts;
  }
}
