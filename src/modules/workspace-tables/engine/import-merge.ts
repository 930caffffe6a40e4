import { Injectable } from '@nestjs/common';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { TableReferences } from './table-references.js';
import type { StagedRows } from './staged-rows.js';
import type { Staging } from './staging.js';
import { StagingRepository, type UnresolvedImportLink } from './staging.repository.js';

/** Unresolved links that are listed; the total counts them all. */
const MAX_LISTED_LINKS = 20;

/** What became of an import's rows. */
export interface Merged {
  table: CatalogTable;
  rows: StagedRows;
  created: number;
  updated: number;
  unresolved: { total: number; first: UnresolvedImportLink[] };
}

/** What an import does in its transaction, step by step. */
@Injectable()
export class ImportMerge {
  constructor(
    private readonly staging: StagingRepository,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly links: TableReferences,
  ) {}

  /** @returns the process of PostgreSQL that has the transaction. */
  begin(timeoutS: number): Promise<number> {
    return this.staging.begin(timeoutS);
  }

  fill(columns: readonly CatalogColumn[], bytes: AsyncIterable<Buffer>): Promise<void> {
    return this.staging.fill(columns, bytes);
  }

  /** The table as it is now; undefined where it is gone. */
  async find({ workspaceId, id }: CatalogTable): Promise<CatalogTable | undefined> {
    return (await this.catalog.listByIds(workspaceId, [id]))[0];
  }

  /** Takes the table's lock, once everything that needs none is done; undefined where the table is gone. */
  async lock(table: CatalogTable, rows: StagedRows): Promise<CatalogTable | undefined> {
    if (!rows.isSorted || !(await this.staging.isEmpty(table))) await this.staging.analyze();
    if (!rows.isSorted) rows.errors.add(await this.staging.refuseRepeated(getPrimaryKey(table.columns).key));
    const found = await this.catalog.lockExisting(table);
    if (!found) return undefined;
    await this.physical.upgrade(found);
    return found;
  }

  /** Adds the errors that only the rows which stand there can tell. */
  async check(staging: Staging, { errors }: StagedRows): Promise<void> {
    errors.add(await this.staging.refuseLacking(staging));
    const parents = staging.columns.filter(({ column }) => column.type === 'hierarchyParent');
    // A row refused for one parent keeps its other parents too, which may close a cycle there: on until there is none.
    for (let before = -1; before < errors.total;) {
      before = errors.total;
      for (const column of parents) errors.add(await this.staging.refuseCycles(staging.table, column));
    }
  }

  /** Writes the good rows, and stamps what changed with the next revision. */
  async write(staging: Staging, rows: StagedRows): Promise<Merged> {
    const revision = staging.table.revision + 1;
    const { created, updated } = await this.staging.merge(staging, revision);
    const table = { ...staging.table };
    if (created + updated > 0) {
      await this.catalog.setRevision(table, revision);
      table.revision = revision;
    }
    return { table, rows, created, updated, unresolved: await this.unresolved({ ...staging, table }) };
  }

  private async unresolved({ table, columns }: Staging): Promise<Merged['unresolved']> {
    const unresolved: Merged['unresolved'] = { total: 0, first: [] };
    for (const staged of columns.filter(({ column }) => isReference(column.type))) {
      const { total, first } = await this.staging.unresolved(staged, await this.links.targetsOf(table, staged.column));
      unresolved.total += total;
      unresolved.first.push(...first);
    }
    unresolved.first = unresolved.first.sort((a, b) => a.index - b.index).slice(0, MAX_LISTED_LINKS);
    return unresolved;
  }
}
