import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes that columns are to have, built in the background, and ordinals that dropped columns leave behind. */
export class ColumnIndexes1763700025000 implements MigrationInterface {
  name = 'ColumnIndexes1763700025000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_tables ADD COLUMN dropped_ordinal integer NOT NULL DEFAULT 0;
      CREATE TABLE column_indexes (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        ordinal integer NOT NULL,
        state text NOT NULL,
        message text,
        token uuid,
        due_at timestamptz(3) DEFAULT now(),
        CONSTRAINT pk_column_indexes PRIMARY KEY (workspace_id, table_id, ordinal),
        CONSTRAINT fk_column_indexes_column FOREIGN KEY (workspace_id, table_id, ordinal)
          REFERENCES workspace_columns (workspace_id, table_id, ordinal) ON DELETE CASCADE
      );
      CREATE INDEX ix_column_indexes_due ON column_indexes (due_at) WHERE due_at IS NOT NULL;
      INSERT INTO column_indexes (workspace_id, table_id, ordinal, state)
      SELECT workspace_id, table_id, ordinal, 'pending' FROM workspace_columns
       WHERE options @> '{"indexed": true}' AND NOT primary_key AND type NOT IN ('hierarchyParent', 'reference');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE column_indexes; ALTER TABLE workspace_tables DROP COLUMN dropped_ordinal');
  }
}
