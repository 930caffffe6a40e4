import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects. */
export class Projects1763700007000 implements MigrationInterface {
  name = 'Projects1763700007000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        workspace_id uuid NOT NULL CONSTRAINT fk_projects_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        name text NOT NULL,
        description text,
        status text NOT NULL DEFAULT 'active',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_projects PRIMARY KEY (workspace_id, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE projects');
  }
}
