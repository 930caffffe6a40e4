import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tours, each of one project. */
export class Tours1763700008000 implements MigrationInterface {
  name = 'Tours1763700008000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tours (
        workspace_id uuid NOT NULL CONSTRAINT fk_tours_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        project_id uuid NOT NULL,
        title text NOT NULL,
        description text,
        status text NOT NULL DEFAULT 'draft',
        visibility text NOT NULL DEFAULT 'private',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_tours PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_tours_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id)
      );
      CREATE INDEX ix_tours_project ON tours (workspace_id, project_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tours');
  }
}
