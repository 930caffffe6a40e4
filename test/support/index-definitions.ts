import type { Database } from './database.js';

export interface IndexDefinition {
  name: string;
  oid: number;
  valid: boolean;
  /** The indexed expressions; null while the index is not valid, because it may be dropped at any time. */
  terms: string | null;
}

/**
 * The indexes of a PostgreSQL table that the service has built at a request. The lock makes `DROP INDEX CONCURRENTLY`
 * wait: `pg_get_indexdef` fails if it reads an index that no longer exists.
 * @param like pattern of the index names
 */
export async function readIndexDefinitions(
  database: Database,
  table: string,
  like: string,
): Promise<IndexDefinition[]> {
  const client = await database.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    const { rows } = await client.query<IndexDefinition>(
      `SELECT c.relname AS name, c.oid::int, i.indisvalid AS valid,
              CASE WHEN i.indisvalid THEN substring(pg_get_indexdef(c.oid) FROM 'btree \\((.*)\\)$') END AS terms
         FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = $1::regclass AND c.relname LIKE $2
        ORDER BY c.relname`,
      [table, like],
    );
    return rows;
  } finally {
    await client.end();
  }
}
