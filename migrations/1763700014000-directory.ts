import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which workspace a bare id belongs to. A small table, kept on every node of a cluster. */
export class Directory1763700014000 implements MigrationInterface {
  name = 'Directory1763700014000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE directory (
        kind text NOT NULL,
        id text NOT NULL,
        workspace_id uuid NOT NULL,
        CONSTRAINT pk_directory PRIMARY KEY (kind, id)
      );
      INSERT INTO directory (kind, id, workspace_id)
      SELECT 'project', id::text, workspace_id FROM projects
      UNION ALL
      SELECT 'tour', id::text, workspace_id FROM tours;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE directory');
  }
}
