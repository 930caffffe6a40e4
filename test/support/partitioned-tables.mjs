/** Partitions of each table. */
const PARTITIONS = 2;

/** Fixed tables whose primary key begins with `workspace_id`. */
const OWNED = `
  SELECT c.oid, c.relname AS name FROM pg_class c
    JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] AND a.attname = 'workspace_id'
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`;

const FOREIGN_KEYS = `
  SELECT c.conrelid::regclass AS "table", c.conname AS name, pg_get_constraintdef(c.oid) AS definition FROM pg_constraint c
   WHERE c.contype = 'f' AND (c.conrelid = ANY ($1::oid[]) OR c.confrelid = ANY ($1::oid[]))`;

const CONSTRAINTS = `
  SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1 AND contype IN ('p', 'u', 'c')`;

const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
   WHERE i.indrelid = $1 AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))`;

const SEQUENCES = `
  SELECT d.objid::regclass::text AS name FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
   WHERE d.refobjid = $1 AND d.deptype = 'a'`;

/**
 * Partitions the tables of workspaces by the hash of `workspace_id`, as a cluster distributes them: PostgreSQL then
 * rejects every unique key, and every reference to one, that lacks the workspace. The tables have no rows yet.
 */
export async function partitionTables(client) {
  const rows = async (sql, ...parameters) => (await client.query(sql, parameters)).rows;
  const tables = await rows(OWNED);
  if (tables.length === 0) throw new Error('No table belongs to workspaces.');
  const references = await rows(
    FOREIGN_KEYS,
    tables.map(({ oid }) => oid),
  );
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT "${name}"`);
  for (const { oid, name } of tables) {
    const constraints = await rows(CONSTRAINTS, oid);
    const indexes = await rows(INDEXES, oid);
    for (const sequence of await rows(SEQUENCES, oid))
      await client.query(`ALTER SEQUENCE ${sequence.name} OWNED BY NONE`);
    await client.query(`ALTER TABLE "${name}" RENAME TO former`);
    await client.query(
      `CREATE TABLE "${name}" (LIKE former INCLUDING DEFAULTS INCLUDING GENERATED) PARTITION BY HASH (workspace_id)`,
    );
    await client.query('DROP TABLE former');
    for (let at = 0; at < PARTITIONS; at++)
      await client.query(
        `CREATE TABLE "${name}_${at}" PARTITION OF "${name}" FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${at})`,
      );
    for (const constraint of constraints)
      await client.query(`ALTER TABLE "${name}" ADD CONSTRAINT "${constraint.name}" ${constraint.definition}`);
    for (const { definition } of indexes) await client.query(definition.replace(' ON ONLY ', ' ON '));
  }
  for (const { table, name, definition } of references)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT "${name}" ${definition}`);
}
