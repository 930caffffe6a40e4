import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which table each array of the legacy webhook is stored in, whatever its name is by now (specification, section 2.4). */
export class LegacyTables1763700018000 implements MigrationInterface {
  name = 'LegacyTables1763700018000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE legacy_tables (
        workspace_id uuid NOT NULL CONSTRAINT fk_legacy_tables_workspace REFERENCES workspaces (id),
        "array" text NOT NULL,
        table_id uuid NOT NULL,
        CONSTRAINT pk_legacy_tables PRIMARY KEY (workspace_id, "array")
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE legacy_tables');
  }
}
