import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { KEY_TYPES, Keyset } from '../../../../packages/sql/src/keyset.js';
import type { PageQueryDto } from '../../../platform/http/page.dto.js';
import type { Page } from '../../../../packages/sql/src/page-reader.js';
import { readKeysetPage } from '../../../records/row-pages.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { RequestedIndexState } from '../catalog/column-index.entity.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
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

/** The order by normalized name, byte by byte: the same on every system. */
const NAME_KEYSET = new Keyset([{ sql: 'record."nameKey" COLLATE "C"', ...KEY_TYPES.text }]);

@Injectable()
export class DescribeTablesRepository {
  constructor(private readonly database: Database) {}

  /** The tables of all workspaces. */
  listAllWorkspaces(): Promise<Pick<CatalogTable, 'workspaceId' | 'id'>[]> {
    return this.database.queryAllWorkspaces(
      (isReachable) =>
        `SELECT workspace_id AS "workspaceId", id FROM workspace_tables WHERE ${isReachable('workspace_id')}`,
    );
  }

  /**
   * Ordered by normalized name.
   *
   * @param part text that the normalized name contains.
   * @param ids only these tables.
   * @throws {InvalidCursorError}
   */
  list(
    workspaceId: string,
    entity: EntityKind,
    { part, ids, ...query }: PageQueryDto & { part: string; ids?: readonly string[] },
  ): Promise<Page<ListedTable>> {
    const sql = `
       SELECT t.id, t.name, t.name_key AS "nameKey", t.entity AS type, t.revision::float8 AS revision,
              t.created_at AS "createdAt", t.updated_at AS "updatedAt",
              (SELECT count(*)::integer FROM workspace_columns c
                WHERE c.workspace_id = $1 AND c.table_id = t.id) AS "columnCount"
         FROM workspace_tables t
        WHERE t.workspace_id = $1 AND t.entity = $2 AND strpos(t.name_key, $3) > 0
          AND ($4::uuid[] IS NULL OR t.id = ANY ($4))`;
    const statement = { sql, parameters: [workspaceId, entity, part, ids ?? null], sized: ['name'] };
    const identity = ['tables', workspaceId, entity, part];
    const toPosition = ({ nameKey }: ListedTable) => [nameKey];
    return readKeysetPage(this.database, identity, statement, NAME_KEYSET, query, toPosition);
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
