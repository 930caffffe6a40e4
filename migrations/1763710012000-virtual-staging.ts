import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Virtual stagings, which are also the queue of the renderers, and their variations. */
export class VirtualStaging1763710012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE stagings (
        workspace_id uuid NOT NULL CONSTRAINT fk_stagings_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        external_id text,
        tour_id uuid NOT NULL,
        project_id uuid NOT NULL,
        scene_id text,
        source_id uuid NOT NULL,
        type text NOT NULL,
        room_type text,
        style text,
        status text NOT NULL DEFAULT 'queued',
        progress integer NOT NULL DEFAULT 0,
        error text,
        attempts integer NOT NULL DEFAULT 0,
        claim uuid,
        lease_seconds integer,
        lease_until timestamptz(3),
        started_at timestamptz(3),
        completed_at timestamptz(3),
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        CONSTRAINT pk_stagings PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_stagings_external_id UNIQUE (workspace_id, external_id),
        CONSTRAINT fk_stagings_tour FOREIGN KEY (workspace_id, tour_id) REFERENCES tours (workspace_id, id),
        CONSTRAINT fk_stagings_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id)
      );
      CREATE INDEX ix_stagings_updated ON stagings (workspace_id, updated_at, id);
      CREATE INDEX ix_stagings_tour ON stagings (workspace_id, tour_id, id);
      CREATE INDEX ix_stagings_project ON stagings (workspace_id, project_id, id);
      CREATE INDEX ix_stagings_queue ON stagings (workspace_id, id)
        WHERE status IN ('queued', 'processing') AND archived_at IS NULL;
      CREATE INDEX ix_stagings_lease ON stagings (lease_until) WHERE status = 'processing';
      CREATE TABLE staging_variations (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        staging_id uuid NOT NULL,
        claim uuid NOT NULL,
        label text NOT NULL,
        CONSTRAINT pk_staging_variations PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_staging_variations_staging FOREIGN KEY (workspace_id, staging_id)
          REFERENCES stagings (workspace_id, id)
      );
      CREATE INDEX ix_staging_variations_staging ON staging_variations (workspace_id, staging_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE staging_variations, stagings');
  }
}
