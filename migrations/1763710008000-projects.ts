import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects. */
export class Projects1763710008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        workspace_id uuid NOT NULL CONSTRAINT fk_projects_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        external_id text,
        name text NOT NULL,
        description text,
        address text,
        geo jsonb,
        cover_image text,
        public_notes boolean NOT NULL DEFAULT true,
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_projects PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_projects_external_id UNIQUE (workspace_id, external_id)
      );
      CREATE INDEX ix_projects_updated ON projects (workspace_id, updated_at, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE projects');
  }
}
