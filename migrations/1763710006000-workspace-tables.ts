import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The catalog of workspace tables (specification, section 2.3), their revisions and batches (ADR 0186), imports, and
 * proposals, which wait for approval (ADR 0165). The rows are in a schema per workspace. An index whose build failed is
 * built again after `failed_revision`. `policy_version` identifies the access policies under which an import or a
 * proposal was sent (ADR 0187).
 */
export class WorkspaceTables1763710006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workspace_tables (
        workspace_id uuid NOT NULL CONSTRAINT fk_workspace_tables_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        entity text NOT NULL,
        name text NOT NULL,
        name_key text NOT NULL,
        revision bigint NOT NULL DEFAULT 0,
        changes_since bigint NOT NULL DEFAULT 0,
        tombstones_since timestamptz(3),
        definition_id uuid NOT NULL,
        dropped_ordinal integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        options jsonb NOT NULL DEFAULT '{}',
        history_since bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_workspace_tables PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_workspace_tables_name UNIQUE (workspace_id, entity, name_key)
      );
      CREATE INDEX ix_workspace_tables_tombstones ON workspace_tables (tombstones_since) WHERE tombstones_since IS NOT NULL;
      CREATE TABLE workspace_columns (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        key text NOT NULL,
        ordinal integer NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        primary_key boolean NOT NULL DEFAULT false,
        required boolean NOT NULL DEFAULT false,
        description text,
        options jsonb NOT NULL DEFAULT '{}',
        added_revision bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_workspace_columns PRIMARY KEY (workspace_id, table_id, key),
        CONSTRAINT uq_workspace_columns_ordinal UNIQUE (workspace_id, table_id, ordinal),
        CONSTRAINT fk_workspace_columns_table FOREIGN KEY (workspace_id, table_id)
          REFERENCES workspace_tables (workspace_id, id)
      );
      CREATE TABLE column_indexes (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        ordinals integer[] NOT NULL,
        state text NOT NULL,
        message text,
        token uuid,
        due_at timestamptz(3) DEFAULT now(),
        failed_revision bigint,
        CONSTRAINT pk_column_indexes PRIMARY KEY (workspace_id, table_id, ordinals),
        CONSTRAINT fk_column_indexes_table FOREIGN KEY (workspace_id, table_id)
          REFERENCES workspace_tables (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX ix_column_indexes_due ON column_indexes (due_at) WHERE due_at IS NOT NULL;
      CREATE TABLE former_table_names (
        workspace_id uuid NOT NULL CONSTRAINT fk_former_table_names_workspace REFERENCES workspaces (id),
        entity text NOT NULL,
        name_key text NOT NULL,
        table_id uuid NOT NULL,
        revision bigint NOT NULL,
        CONSTRAINT pk_former_table_names PRIMARY KEY (workspace_id, entity, name_key)
      );
      CREATE TABLE table_revisions (
        workspace_id uuid NOT NULL,
        table_id uuid NOT NULL,
        revision bigint NOT NULL,
        at timestamptz(3) NOT NULL,
        by uuid,
        batch_id uuid,
        source text,
        CONSTRAINT pk_table_revisions PRIMARY KEY (workspace_id, table_id, revision)
      );
      CREATE INDEX ix_table_revisions_at ON table_revisions (workspace_id, table_id, at);
      CREATE TABLE table_imports (
        workspace_id uuid NOT NULL CONSTRAINT fk_table_imports_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        table_id uuid,
        table_ref jsonb,
        status text NOT NULL,
        dry_run boolean NOT NULL,
        options jsonb NOT NULL,
        file_name text,
        sha256 text,
        report json,
        bytes bigint NOT NULL DEFAULT 0,
        rows_read bigint NOT NULL DEFAULT 0,
        rows_written bigint NOT NULL DEFAULT 0,
        rows_failed bigint NOT NULL DEFAULT 0,
        error jsonb,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        policy_version text,
        CONSTRAINT pk_table_imports PRIMARY KEY (workspace_id, id)
      );
      CREATE INDEX ix_table_imports_created ON table_imports (workspace_id, created_at, id);
      CREATE INDEX ix_table_imports_running ON table_imports (updated_at) WHERE finished_at IS NULL;
      CREATE INDEX ix_table_imports_finished ON table_imports (finished_at);
      CREATE TABLE table_batches (
        workspace_id uuid NOT NULL CONSTRAINT fk_table_batches_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        source text NOT NULL,
        tables jsonb NOT NULL,
        undoes uuid,
        undone_by uuid,
        created_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_table_batches PRIMARY KEY (workspace_id, id)
      );
      CREATE INDEX ix_table_batches_created ON table_batches (workspace_id, created_at, id);
      CREATE INDEX ix_table_batches_old ON table_batches (created_at);
      CREATE TABLE table_import_errors (
        workspace_id uuid NOT NULL,
        import_id uuid NOT NULL,
        position integer NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT pk_table_import_errors PRIMARY KEY (workspace_id, import_id, position),
        CONSTRAINT fk_table_import_errors_import FOREIGN KEY (workspace_id, import_id)
          REFERENCES table_imports (workspace_id, id) ON DELETE CASCADE
      );
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
        policy_version text,
        compared_policy_version text,
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
    await runner.query(`
      DROP TABLE table_proposal_rows, table_proposals, table_import_errors, table_imports, table_batches,
        table_revisions, former_table_names, column_indexes, workspace_columns, workspace_tables
    `);
  }
}
