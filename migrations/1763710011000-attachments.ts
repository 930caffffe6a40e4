import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of records. A blob is stored once per workspace and SHA-256; each attachment refers to one. */
export class Attachments1763710011000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE blobs (
        workspace_id uuid NOT NULL CONSTRAINT fk_blobs_workspace REFERENCES workspaces (id),
        sha256 text NOT NULL,
        size bigint NOT NULL,
        content_type text NOT NULL,
        touched_at timestamptz(3) NOT NULL,
        preview text NOT NULL,
        preview_due_at timestamptz(3),
        preview_attempts integer NOT NULL DEFAULT 0,
        width integer,
        height integer,
        CONSTRAINT pk_blobs PRIMARY KEY (workspace_id, sha256)
      );
      CREATE INDEX ix_blobs_preview ON blobs (preview_due_at) WHERE preview = 'pending';
      CREATE INDEX ix_blobs_touched ON blobs (touched_at);
      CREATE TABLE attachments (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        owner_id uuid NOT NULL,
        sha256 text NOT NULL,
        filename text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        CONSTRAINT pk_attachments PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_attachments_blob FOREIGN KEY (workspace_id, sha256) REFERENCES blobs (workspace_id, sha256)
      );
      CREATE INDEX ix_attachments_owner ON attachments (workspace_id, owner_id);
      CREATE INDEX ix_attachments_blob ON attachments (workspace_id, sha256);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE attachments, blobs');
  }
}
