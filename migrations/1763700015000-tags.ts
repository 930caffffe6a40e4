import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tags, each a marked place in a tour. Their ids are integers, unique in the service (specification, section 2.6). */
export class Tags1763700015000 implements MigrationInterface {
  name = 'Tags1763700015000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SEQUENCE tag_ids AS integer;
      CREATE TABLE tags (
        workspace_id uuid NOT NULL CONSTRAINT fk_tags_workspace REFERENCES workspaces (id),
        id integer NOT NULL,
        tour_id uuid NOT NULL,
        project_id uuid NOT NULL,
        label text NOT NULL,
        description text,
        anchor_position jsonb,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_tags PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_tags_tour FOREIGN KEY (workspace_id, tour_id) REFERENCES tours (workspace_id, id),
        CONSTRAINT fk_tags_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id)
      );
      CREATE INDEX ix_tags_tour ON tags (workspace_id, tour_id);
      CREATE INDEX ix_tags_project ON tags (workspace_id, project_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tags; DROP SEQUENCE tag_ids');
  }
}
