import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The catalog of workspace tables (specification, section 2.3). The rows live in the workspaces' own schemas. */
export class WorkspaceTables1763700006000 implements MigrationInterface {
  name = 'WorkspaceTables1763700006000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workspace_tables (
        workspace_id uuid NOT NULL CONSTRAINT fk_workspace_tables_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        entity text NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        revision bigint NOT NULL DEFAULT 0,
        layout integer NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_workspace_tables PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_workspace_tables_name UNIQUE (workspace_id, entity, name_key)
      );
      CREATE TABLE workspace_columns (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        key text NOT NULL,
        ordinal integer NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        primary_key boolean NOT NULL DEFAULT false,
        required boolean NOT NULL DEFAULT false,
        description text,
        options jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_workspace_columns PRIMARY KEY (workspace_id, table_id, key),
        CONSTRAINT uq_workspace_columns_ordinal UNIQUE (workspace_id, table_id, ordinal),
        CONSTRAINT fk_workspace_columns_table FOREIGN KEY (workspace_id, table_id) REFERENCES workspace_tables (workspace_id, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_columns, workspace_tables');
  }
}
