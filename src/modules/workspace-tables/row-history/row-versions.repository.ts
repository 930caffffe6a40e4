import { Injectable } from '@nestjs/common';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { formerRowsName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import type { BatchSource } from '../history/table-batch.entity.js';

/** A row as it was from one revision to another. */
export interface RowVersion {
  key: string;
  item: RowValues;
  revision: number;
  /** The revision that ended it; null for the current row. */
  ended: number | null;
  /** The key that the row received when it ended. */
  renamedTo: string | null;
  /** Did the row begin to exist with it? */
  isFirst: boolean;
  updatedAt: Date;
}

/** How a revision began. */
export interface RevisionOrigin {
  revision: number;
  at: Date;
  by: string | null;
  batchId: string | null;
  source: BatchSource | null;
}

/** The versions of single rows. */
@Injectable()
export class RowVersionsRepository {
  constructor(private readonly database: Database) {}

  /**
   * The versions of a row, the newest first. Before a rename they have the former key; versions of another row that had
   * the key before are not among them.
   *
   * @param since versions that this or an earlier revision has ended are not returned.
   * @param before only versions that began before this revision.
   */
  list(
    table: CatalogTable,
    key: string,
    since: number,
    before: number | undefined,
    limit: number,
  ): Promise<RowVersion[]> {
    const former = formerRowsName(table);
    const name = physicalKeyName(table);
    const received = (of: string, condition: string) =>
      `coalesce((SELECT n._ended_revision FROM ${former} n WHERE n._renamed_to = ${of} ${condition}
                  ORDER BY n._ended_revision DESC LIMIT 1), 0)`;
    const select = (ended: string, renamedTo: string) =>
      `SELECT v.${name} AS key, ${rowToJson(table, 'v')} AS item, v._revision AS revision, ${ended} AS ended, ${renamedTo} AS renamed_to,
              v._created_at = v._updated_at AS is_first, v._updated_at AS updated_at`;
    return this.database.query<RowVersion>(
      `WITH RECURSIVE life (key, since, until) AS (
         SELECT $1::text COLLATE "C", ${received('$1', '')}, NULL::bigint
         UNION ALL
         SELECT e.${name}, ${received(`e.${name}`, 'AND n._ended_revision < l.since')}, l.since
           FROM life l JOIN ${former} e ON e._renamed_to = l.key AND e._ended_revision = l.since)
       SELECT key, item, revision::float8 AS revision, ended::float8 AS ended, renamed_to AS "renamedTo",
              is_first AS "isFirst", updated_at AS "updatedAt"
         FROM (SELECT r.* FROM life l CROSS JOIN LATERAL (
                 ${select('NULL::bigint', 'NULL::text')} FROM ${physicalTableName(table)} v
                  WHERE v.${name} = l.key AND l.until IS NULL
                 UNION ALL
                 ${select('v._ended_revision', 'v._renamed_to')} FROM ${former} v
                  WHERE v.${name} = l.key AND v._revision >= l.since AND v._ended_revision > $2
                    AND v._ended_revision <= coalesce(l.until, v._ended_revision)) r) versions
        WHERE $3::bigint IS NULL OR revision < $3 ORDER BY revision DESC LIMIT $4`,
      [key, since, before ?? null, limit],
      PLAN_EACH_TIME,
    );
  }

  /** How the revisions began, as far as it is still stored. */
  async listOrigins(
    { workspaceId, id }: CatalogTable,
    revisions: readonly number[],
  ): Promise<Map<number, RevisionOrigin>> {
    const found = await this.database.query<RevisionOrigin>(
      `SELECT revision::float8 AS revision, at, by, batch_id AS "batchId", source FROM table_revisions
        WHERE workspace_id = $1 AND table_id = $2 AND revision = ANY ($3::bigint[])`,
      [workspaceId, id, revisions],
    );
    return new Map(found.map((origin) => [origin.revision, origin]));
  }
}
