import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { IndexState } from '../catalog/column-index.entity.js';

/** A table without its columns. */
export interface ListedTable {
  id: string;
  name: string;
  nameKey: string;
  type: EntityKind;
  revision: number;
  columnCount: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What the catalog knows of a table beside its columns. */
export interface TableFacts {
  createdAt: Date;
  updatedAt: Date;
  indexes: { ordinal: number; state: IndexState; message: string | null }[];
}

/** Reads the catalog for those who look after it. */
@Injectable()
export class TablesRepository {
  constructor(private readonly database: Database) {}

  /** Tables by name, those after a given one. Names are compared byte by byte: one order on every system. */
  list(
    workspaceId: string,
    entity: EntityKind,
    { part, after, limit }: { part: string; after: string | undefined; limit: number },
  ): Promise<ListedTable[]> {
    return this.database.query<ListedTable>(
      `SELECT t.id, t.name, t.name_key AS "nameKey", t.entity AS type, t.revision::float8 AS revision,
              t.created_at AS "createdAt", t.updated_at AS "updatedAt",
              (SELECT count(*)::integer FROM workspace_columns c
                WHERE c.workspace_id = t.workspace_id AND c.table_id = t.id) AS "columnCount"
         FROM workspace_tables t
        WHERE t.workspace_id = $1 AND t.entity = $2 AND strpos(t.name_key, $3) > 0
          AND ($4::text IS NULL OR t.name_key COLLATE "C" > $4)
        ORDER BY t.name_key COLLATE "C" LIMIT $5`,
      [workspaceId, entity, part, after ?? null, limit],
    );
  }

  /** Undefined where the table is gone. */
  async findFacts({ workspaceId, id }: CatalogTable): Promise<TableFacts | undefined> {
    const [facts] = await this.database.query<TableFacts>(
      `SELECT t.created_at AS "createdAt", t.updated_at AS "updatedAt",
              (SELECT coalesce(json_agg(json_build_object('ordinal', i.ordinal, 'state', i.state, 'message', i.message)), '[]')
                 FROM column_indexes i WHERE i.workspace_id = t.workspace_id AND i.table_id = t.id) AS indexes
         FROM workspace_tables t WHERE t.workspace_id = $1 AND t.id = $2`,
      [workspaceId, id],
    );
    return facts;
  }
}
