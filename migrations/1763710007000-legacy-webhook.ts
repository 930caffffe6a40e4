import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The workspace table that stores each array of the legacy webhook, by id: tables can be renamed (specification,
 * section 2.4).
 */
export class LegacyWebhook1763710007000 implements MigrationInterface {
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
