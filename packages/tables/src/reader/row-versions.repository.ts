import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import type { Sql } from '../../../sql/src/sql.js';
import { type CursorPosition, KEY_TYPES, Keyset } from '../../../sql/src/keyset.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { formerRowsName, NEVER, physicalKeyName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { selectVersions } from '../catalog/row-versions-sql.js';
import type { BatchSource } from '../history/batch.js';

/** A row as it was from one revision to another. */
export interface RowVersion {
  key: string;
  item: RowValues;
  /** The revision from which on the caller may read it. */
  revision: number;
  /** The revision that ended it, or from which on the caller may not read it; null for the current row. */
  ended: number | null;
  /** The key that the row received when it ended. */
  renamedTo: string | null;
  /** Did the row begin to exist with it? */
  isFirst: boolean;
  /** When it was written; null if an access policy permits it only from a later revision on. */
  updatedAt: Date | null;
}

/** How a revision began. */
export interface RevisionOrigin {
  revision: number;
  at: Date;
  by: string | null;
  batchId: string | null;
  source: BatchSource | null;
}

export const VERSION_KEYSET = new Keyset([{ sql: 'r._from', descending: true, ...KEY_TYPES.count }]);

/** The versions of single rows. */
export class RowVersionsRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * The versions of a row that the caller may read, the newest first. Before a rename they have the former key;
   * versions of another row that had the key before are not among them.
   *
   * @param since versions that this or an earlier revision has ended are not returned.
   * @param after the position of the last version of the previous page.
   */
  list(
    table: CatalogTable,
    key: string,
    since: number,
    after: CursorPosition | undefined,
    limit: number,
  ): Promise<RowPage<RowVersion>> {
    const former = formerRowsName(table);
    const name = physicalKeyName(table);
    const limited = table.permission?.rows;
    const versions = limited ? limited.selectVersions() : selectVersions(table);
    const received = (of: string, condition: string) =>
      `coalesce((SELECT n._ended_revision FROM ${former} n WHERE n._renamed_to = ${of} ${condition}
                  ORDER BY n._ended_revision DESC LIMIT 1), 0)`;
    // A rename is known to the caller if both its ends are.
    const isKnown = (key: string, from: string) =>
      limited ? `EXISTS (SELECT 1 FROM ${versions} n WHERE n.${name} = ${key} AND n._from = ${from})` : 'true';
    const parameters: unknown[] = [key, since];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const sql = `
       WITH RECURSIVE life (key, since, until) AS (
         SELECT $1::text COLLATE "C", ${received('$1', '')}, ${NEVER}
         UNION ALL
         SELECT e.${name}, ${received(`e.${name}`, 'AND n._ended_revision < l.since')}, l.since
           FROM life l CROSS JOIN LATERAL (
             SELECT e.${name} FROM ${versions} e
              WHERE e._renamed_to = l.key AND e._ended_revision = l.since AND e._until = l.since AND ${isKnown('l.key', 'l.since')}
             OFFSET 0) e)
       SELECT r.key, r.item, r._from::float8 AS revision, nullif(r._until, ${NEVER})::float8 AS ended,
              CASE WHEN r._until = r._ended_revision AND ${isKnown('r._renamed_to', 'r._until')} THEN r._renamed_to END AS "renamedTo",
              r.is_written AND r._created_at = r._updated_at AS "isFirst",
              CASE WHEN r.is_written THEN r._updated_at END AS "updatedAt"
         FROM life l CROSS JOIN LATERAL (
           SELECT v.*, v.${name} AS key, ${rowToJson(table, 'v')} AS item, v._from = v._revision AS is_written
             FROM ${versions} v
            WHERE v.${name} = l.key AND v._revision >= l.since AND v._until > $2 AND v._ended_revision <= l.until
           OFFSET 0) r
        WHERE ${VERSION_KEYSET.compileCondition(after, { bind })}
        ORDER BY ${VERSION_KEYSET.compileOrder()}`;
    // A version is compared with the one before it.
    return readPage(this.sql, { sql, parameters, sized: ['item'] }, limit, { minRows: 2 });
  }

  /** How the revisions began, as far as it is still stored. */
  async listOrigins(
    { workspaceId, id }: CatalogTable,
    revisions: readonly number[],
  ): Promise<Map<number, RevisionOrigin>> {
    const found = await this.sql.query<RevisionOrigin>(
      `SELECT revision::float8 AS revision, at, by, batch_id AS "batchId", source FROM table_revisions
        WHERE workspace_id = $1 AND table_id = $2 AND revision = ANY ($3::bigint[])`,
      [workspaceId, id, revisions],
    );
    return new Map(found.map((origin) => [origin.revision, origin]));
  }
}
