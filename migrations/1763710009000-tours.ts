import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tours and their tags. The ids of tags are integers, unique in the service (specification, section 2.6). */
export class Tours1763710009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tours (
        workspace_id uuid NOT NULL CONSTRAINT fk_tours_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        external_id text,
        project_id uuid NOT NULL,
        title text NOT NULL,
        description text,
        status text NOT NULL DEFAULT 'draft',
        visibility text NOT NULL DEFAULT 'private',
        provider text,
        provider_model_id text,
        share_url text,
        thumbnail_url text,
        captured_at timestamptz(3),
        published_at timestamptz(3),
        floors jsonb NOT NULL DEFAULT '[]',
        scenes jsonb NOT NULL DEFAULT '[]',
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_tours PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_tours_external_id UNIQUE (workspace_id, external_id),
        CONSTRAINT fk_tours_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id)
      );
      CREATE INDEX ix_tours_project ON tours (workspace_id, project_id);
      CREATE INDEX ix_tours_updated ON tours (workspace_id, updated_at, id);
      CREATE SEQUENCE tag_ids AS integer;
      CREATE TABLE tags (
        workspace_id uuid NOT NULL CONSTRAINT fk_tags_workspace REFERENCES workspaces (id),
        id integer NOT NULL,
        external_id text,
        tour_id uuid NOT NULL,
        project_id uuid NOT NULL,
        label text NOT NULL,
        description text,
        anchor_position jsonb,
        stem_vector jsonb,
        scene_id text,
        floor_id text,
        color text,
        icon text,
        keywords text[] NOT NULL DEFAULT '{}',
        location_table_id uuid,
        location_key text COLLATE "C",
        asset_table_id uuid,
        asset_key text COLLATE "C",
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_tags PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_tags_external_id UNIQUE (workspace_id, external_id),
        CONSTRAINT fk_tags_tour FOREIGN KEY (workspace_id, tour_id) REFERENCES tours (workspace_id, id),
        CONSTRAINT fk_tags_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id)
      );
      CREATE INDEX ix_tags_tour ON tags (workspace_id, tour_id);
      CREATE INDEX ix_tags_project ON tags (workspace_id, project_id);
      CREATE INDEX ix_tags_updated ON tags (workspace_id, updated_at, id);
      CREATE INDEX ix_tags_location ON tags (workspace_id, location_table_id, location_key);
      CREATE INDEX ix_tags_asset ON tags (workspace_id, asset_table_id, asset_key);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tags, tours; DROP SEQUENCE tag_ids');
  }
}
