import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names that meant another table once, and how far its revisions went. */
export class FormerTableNames1763700027000 implements MigrationInterface {
  name = 'FormerTableNames1763700027000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE former_table_names (
        workspace_id uuid NOT NULL CONSTRAINT fk_former_table_names_workspace REFERENCES workspaces (id),
        entity text NOT NULL,
        name_key text NOT NULL,
        table_id uuid NOT NULL,
        revision bigint NOT NULL,
        CONSTRAINT pk_former_table_names PRIMARY KEY (workspace_id, entity, name_key)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE former_table_names');
  }
}
