import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import type { RelationColumn } from '../catalog/relation.js';

/** Finds cycles of parents among any number of rows. The rows do not leave PostgreSQL. */
export class ParentCyclesRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Finds the rows on cycles of parents in a column, together with the stored rows that the source does not change.
   *
   * @param source FROM item with the rows `s`.
   * @param table undefined if no stored row has a value in the column.
   * @returns SQL: the keys of these rows; undefined if there are none. A later call for the same column replaces them.
   */
  async find(
    temporary: TemporaryTables,
    source: string,
    table: CatalogTable | undefined,
    column: RelationColumn,
  ): Promise<string | undefined> {
    for (const sql of createParents(temporary, source, table, column)) await this.sql.query(sql);
    const name = `import_rootless_${column.column.ordinal}_`;
    const rows = await this.createRootless(temporary, name);
    await this.sql.query(temporary.drop('import_sent', 'import_parents'));
    if (rows === 0) return undefined;
    await this.leaveCycles(temporary.name(name), rows);
    return `SELECT key FROM ${temporary.name(name)}`;
  }

  /**
   * Creates a table of the rows from which no root can be reached: those on a cycle and those below one.
   *
   * @returns their number.
   */
  private async createRootless(temporary: TemporaryTables, name: string): Promise<number> {
    const parents = temporary.name('import_parents');
    const rootless = `
      WITH RECURSIVE rooted (key) AS (
        SELECT p.key FROM ${parents} p
         WHERE p.parent IS NULL OR NOT EXISTS (SELECT 1 FROM ${parents} o WHERE o.key = p.parent)
        UNION ALL
        SELECT p.key FROM rooted r JOIN ${parents} p ON p.parent = r.key)
      SELECT p.key, p.parent AS ancestor FROM ${parents} p
       WHERE NOT EXISTS (SELECT 1 FROM rooted r WHERE r.key = p.key)`;
    await this.sql.query(temporary.drop(name));
    await this.sql.query(temporary.createAs(name, rootless));
    const rows = temporary.name(name);
    await this.sql.query(`ANALYZE ${rows}`);
    const [counted] = await this.sql.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${rows}`);
    return counted!.rows;
  }

  /**
   * Deletes the rows below a cycle. Each step doubles the levels between a row and its ancestor, and leaves the rows
   * that are the ancestor of any. Only those on a cycle are ancestors over as many levels as there are rows.
   */
  private async leaveCycles(name: string, rows: number): Promise<void> {
    for (let levels = 1; levels < rows; levels *= 2) {
      await this.sql.query(`UPDATE ${name} r SET ancestor = a.ancestor FROM ${name} a WHERE a.key = r.ancestor`);
      await this.sql.query(`DELETE FROM ${name} r WHERE NOT EXISTS (SELECT 1 FROM ${name} o WHERE o.ancestor = r.key)`);
    }
  }
}

/**
 * Statements that create tables of parents: `import_sent` of the rows of the source, and `import_parents`, also of the
 * stored rows above them.
 */
function createParents(
  temporary: TemporaryTables,
  source: string,
  table: CatalogTable | undefined,
  { column, value, sent = 'true' }: RelationColumn,
): string[] {
  const sentRows = temporary.name('import_sent');
  const parents = `SELECT key, parent FROM ${sentRows}`;
  return [
    temporary.createAs('import_sent', `SELECT s.key, ${value} AS parent FROM ${source} WHERE ${sent}`),
    `ANALYZE ${sentRows}`,
    temporary.createAs('import_parents', table ? withStoredParents(parents, sentRows, table, column) : parents),
    `ANALYZE ${temporary.name('import_parents')}`,
  ];
}

/**
 * Adds the stored rows above the sent ones that the source does not change. `OFFSET 0` makes the planner look up each
 * parent by the index.
 */
function withStoredParents(parents: string, sentRows: string, table: CatalogTable, column: CatalogColumn): string {
  const key = physicalKeyName(table);
  const keyAndParent = `t.${key}, t.${physicalColumnName(column)}`;
  const storedParent = (of: string) =>
    `CROSS JOIN LATERAL (
       SELECT * FROM ${physicalTableName(table)} r WHERE r.${key} = ${of}.parent OFFSET 0) t
      WHERE NOT EXISTS (SELECT 1 FROM ${sentRows} s WHERE s.key = t.${key})`;
  return `
            WITH RECURSIVE outside AS (
              SELECT DISTINCT s.parent FROM ${sentRows} s
               WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${sentRows} o WHERE o.key = s.parent)),
            up (key, parent) AS (
              SELECT ${keyAndParent} FROM outside ${storedParent('outside')}
              UNION
              SELECT ${keyAndParent} FROM up ${storedParent('up')})
            ${parents} UNION ALL SELECT key, parent FROM up`;
}
