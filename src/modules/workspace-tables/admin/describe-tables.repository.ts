import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { readPage, type RowPage } from '../../../platform/database/page-reader.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { RequestedIndexState } from '../catalog/column-index.entity.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import type { ListedTableDto } from './dto/tables.dto.js';

export interface ListedTable extends ListedTableDto {
  nameKey: string;
}

/** What CatalogTable does not contain. */
export interface TableDetails {
  createdAt: Date;
  updatedAt: Date;
  /** Without those that are dropped. */
  indexes: { ordinals: number[]; state: RequestedIndexState; message: string | null }[];
}

@Injectable()
export class DescribeTablesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Ordered by normalized name, byte by byte: the same order on every system.
   *
   * @param part text that the normalized name contains. @param after the last name of the previous page.
   * @param ids only these tables.
   */
  list(
    workspaceId: string,
    entity: EntityKind,
    { part, after, limit, ids }: { part: string; after: string | undefined; limit: number; ids?: readonly string[] },
  ): Promise<RowPage<ListedTable>> {
    const sql = `
       SELECT t.id, t.name, t.name_key AS "nameKey", t.entity AS type, t.revision::float8 AS revision,
              t.created_at AS "createdAt", t.updated_at AS "updatedAt",
              (SELECT count(*)::integer FROM workspace_columns c
                WHERE c.workspace_id = $1 AND c.table_id = t.id) AS "columnCount"
         FROM workspace_tables t
        WHERE t.workspace_id = $1 AND t.entity = $2 AND strpos(t.name_key, $3) > 0
          AND ($4::text IS NULL OR t.name_key COLLATE "C" > $4) AND ($5::uuid[] IS NULL OR t.id = ANY ($5))
        ORDER BY t.name_key COLLATE "C"`;
    const parameters = [workspaceId, entity, part, after ?? null, ids ?? null];
    return readPage<ListedTable>(this.database, { sql, parameters, sized: ['name'] }, limit);
  }

  /** Undefined if the table was dropped. */
  async findDetails({ workspaceId, id }: CatalogTable): Promise<TableDetails | undefined> {
    const [details] = await this.database.query<TableDetails>(
      `SELECT t.created_at AS "createdAt", t.updated_at AS "updatedAt",
              (SELECT coalesce(json_agg(json_build_object('ordinals', i.ordinals, 'state', i.state, 'message', CASE WHEN i.state = 'failed' THEN i.message END)
                                ORDER BY i.ordinals), '[]')
                 FROM column_indexes i
                WHERE i.workspace_id = $1 AND i.table_id = t.id AND i.state <> 'dropping') AS indexes
         FROM workspace_tables t WHERE t.workspace_id = $1 AND t.id = $2`,
      [workspaceId, id],
    );
    return details;
  }
}
