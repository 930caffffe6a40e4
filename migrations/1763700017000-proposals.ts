import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the options of tables, and the loads that wait for approval (ADR 0165). */
export class Proposals1763700017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE workspace_tables ADD COLUMN options jsonb NOT NULL DEFAULT '{}';
      CREATE TABLE table_proposals (
        workspace_id uuid NOT NULL CONSTRAINT fk_table_proposals_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        source text NOT NULL,
        tables jsonb NOT NULL,
        report jsonb NOT NULL,
        import_id uuid,
        undoes uuid,
        skip_conflicts boolean NOT NULL DEFAULT false,
        needs_other_user boolean NOT NULL,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        compared_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        decided_by uuid,
        decided_at timestamptz(3),
        comment text,
        batch_id uuid,
        CONSTRAINT pk_table_proposals PRIMARY KEY (workspace_id, id)
      );
      CREATE INDEX ix_table_proposals_created ON table_proposals (workspace_id, created_at, id);
      CREATE INDEX ix_table_proposals_pending ON table_proposals (expires_at) WHERE status = 'pending';
      CREATE INDEX ix_table_proposals_decided ON table_proposals (decided_at) WHERE status <> 'pending';
      CREATE TABLE table_proposal_rows (
        workspace_id uuid NOT NULL,
        proposal_id uuid NOT NULL,
        table_id uuid NOT NULL,
        key text COLLATE "C" NOT NULL,
        change text NOT NULL,
        revision bigint,
        before jsonb,
        after jsonb,
        CONSTRAINT pk_table_proposal_rows PRIMARY KEY (workspace_id, proposal_id, table_id, key),
        CONSTRAINT fk_table_proposal_rows_proposal FOREIGN KEY (workspace_id, proposal_id)
          REFERENCES table_proposals (workspace_id, id) ON DELETE CASCADE
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE table_proposal_rows, table_proposals');
    await runner.query('ALTER TABLE workspace_tables DROP COLUMN options');
  }
}
