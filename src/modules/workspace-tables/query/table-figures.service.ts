import { Injectable } from '@nestjs/common';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { ReferenceLookup } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { callerView } from '../catalog/caller-view.js';
import {
  getReferenceColumns,
  type TableCounts,
  UnresolvedReferencesRepository,
} from '../../../../packages/tables/src/reader/unresolved-references.repository.js';

/** Maximum number of tables per statement: PostgreSQL plans the statement as a whole. */
const TABLES_PER_STATEMENT = 50;

/** A table with the numbers of its rows and references. */
export interface TableFigures {
  id: string;
  entity: EntityKind;
  name: string;
  rows: number;
  references: ReferenceFigures[];
}

/** A reference column. */
export interface ReferenceFigures {
  column: string;
  /** Number of rows with a reference. */
  set: number;
  /** Number of rows with an unresolved reference. */
  unresolved: number;
}

/** Counts rows and references. Deleted rows are not counted, and are not targets of references. */
@Injectable()
export class TableFiguresService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly repository: UnresolvedReferencesRepository,
    private readonly replica: ReplicaReads,
    private readonly lookup: ReferenceLookup,
  ) {}

  /** All tables of the workspace, ordered by entity and name. */
  async listFigures(workspaceId: string): Promise<TableFigures[]> {
    const list = () => this.catalog.listAll(callerView(workspaceId));
    const count = () => this.catalog.readTogether(async () => this.count((await list()).toSorted(compareNames)));
    return (await this.replica.read(list, count)) ?? count();
  }

  private async count(tables: readonly CatalogTable[]): Promise<TableFigures[]> {
    const figures: TableFigures[] = [];
    const targets = await this.lookup.findAllTargets(
      tables.flatMap((table) => getReferenceColumns(table).map((column) => ({ table, column }))),
    );
    for (let from = 0; from < tables.length; from += TABLES_PER_STATEMENT) {
      const batch = tables.slice(from, from + TABLES_PER_STATEMENT);
      const counts = await this.repository.count(batch, targets);
      figures.push(...batch.map((table, index) => toFigures(table, counts[index]!)));
    }
    return figures;
  }
}

function compareNames(a: CatalogTable, b: CatalogTable): number {
  return `${a.entity} ${a.nameKey}` < `${b.entity} ${b.nameKey}` ? -1 : 1;
}

function toFigures(table: CatalogTable, { rows, references }: TableCounts): TableFigures {
  const { id, entity, name } = table;
  const columns = getReferenceColumns(table);
  return {
    id,
    entity,
    name,
    rows,
    references: references.map((counts, index) => ({ column: columns[index]!.key, ...counts })),
  };
}
