import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports into workspace tables, as they go on and as they ended. */
export class TableImports1763700024000 implements MigrationInterface {
  name = 'TableImports1763700024000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE table_imports (
        workspace_id uuid NOT NULL CONSTRAINT fk_table_imports_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        table_id uuid NOT NULL,
        status text NOT NULL,
        dry_run boolean NOT NULL,
        bytes bigint NOT NULL DEFAULT 0,
        rows_read bigint NOT NULL DEFAULT 0,
        rows_written bigint NOT NULL DEFAULT 0,
        rows_failed bigint NOT NULL DEFAULT 0,
        error jsonb,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        CONSTRAINT pk_table_imports PRIMARY KEY (workspace_id, id)
      );
      CREATE INDEX ix_table_imports_created ON table_imports (workspace_id, created_at, id);
      CREATE INDEX ix_table_imports_running ON table_imports (updated_at) WHERE finished_at IS NULL;
      CREATE INDEX ix_table_imports_finished ON table_imports (finished_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE table_imports');
  }
}
