import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes, their external references, messages and events (specification, section 2.6). */
export class Notes1763710010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE note_counters (
        workspace_id uuid NOT NULL CONSTRAINT fk_note_counters_workspace REFERENCES workspaces (id),
        last_number bigint NOT NULL,
        last_sequence bigint NOT NULL,
        CONSTRAINT pk_note_counters PRIMARY KEY (workspace_id)
      );
      CREATE TABLE notes (
        workspace_id uuid NOT NULL CONSTRAINT fk_notes_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        number bigint NOT NULL,
        external_id text,
        title text COLLATE "C",
        description text COLLATE "C",
        status text COLLATE "C" NOT NULL,
        priority text COLLATE "C",
        assignee text COLLATE "C",
        reporter text COLLATE "C",
        scheduled_date timestamptz(3),
        due_date timestamptz(3),
        closed_at timestamptz(3),
        project_id uuid,
        tag_id integer,
        tour_id uuid,
        location_table_id uuid,
        location_key text COLLATE "C",
        asset_table_id uuid,
        asset_key text COLLATE "C",
        custom_fields jsonb NOT NULL DEFAULT '{}',
        message_count integer NOT NULL DEFAULT 0,
        last_message_at timestamptz(3),
        source text COLLATE "C" NOT NULL,
        unreviewed_bytes bigint NOT NULL DEFAULT 0,
        archived_at timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        words tsvector NOT NULL DEFAULT '',
        type text COLLATE "C" NOT NULL DEFAULT 'note',
        category text COLLATE "C",
        work_center text COLLATE "C",
        external_references jsonb NOT NULL DEFAULT '[]',
        watchers uuid[] NOT NULL DEFAULT '{}',
        CONSTRAINT pk_notes PRIMARY KEY (workspace_id, id),
        CONSTRAINT uq_notes_number UNIQUE (workspace_id, number),
        CONSTRAINT uq_notes_external_id UNIQUE (workspace_id, external_id),
        CONSTRAINT fk_notes_project FOREIGN KEY (workspace_id, project_id) REFERENCES projects (workspace_id, id),
        CONSTRAINT fk_notes_tag FOREIGN KEY (workspace_id, tag_id) REFERENCES tags (workspace_id, id),
        CONSTRAINT fk_notes_tour FOREIGN KEY (workspace_id, tour_id) REFERENCES tours (workspace_id, id)
      );
      CREATE INDEX ix_notes_project ON notes (workspace_id, project_id, id);
      CREATE INDEX ix_notes_tag ON notes (workspace_id, tag_id, id);
      CREATE INDEX ix_notes_tour ON notes (workspace_id, tour_id, id);
      CREATE INDEX ix_notes_location ON notes (workspace_id, location_table_id, location_key);
      CREATE INDEX ix_notes_asset ON notes (workspace_id, asset_table_id, asset_key);
      CREATE INDEX ix_notes_status ON notes (workspace_id, status, id);
      CREATE INDEX ix_notes_assignee ON notes (workspace_id, assignee, id);
      CREATE INDEX ix_notes_priority ON notes (workspace_id, priority, id);
      CREATE INDEX ix_notes_category ON notes (workspace_id, category, id);
      CREATE INDEX ix_notes_work_center ON notes (workspace_id, work_center, id);
      CREATE INDEX ix_notes_type ON notes (workspace_id, type, id);
      CREATE INDEX ix_notes_custom_fields ON notes USING gin (custom_fields jsonb_path_ops);
      CREATE INDEX ix_notes_updated ON notes (workspace_id, updated_at, id);
      CREATE INDEX ix_notes_due ON notes (workspace_id, due_date, id);
      CREATE INDEX ix_notes_created ON notes (workspace_id, created_at);
      CREATE INDEX ix_notes_closed ON notes (workspace_id, closed_at);
      CREATE INDEX ix_notes_unreviewed ON notes (workspace_id, unreviewed_bytes) WHERE unreviewed_bytes > 0;
      -- A search reads the whole list of pending entries: at most 256 kB.
      CREATE INDEX ix_notes_words ON notes USING gin (words) WITH (gin_pending_list_limit = 256);
      CREATE TABLE note_external_references (
        workspace_id uuid NOT NULL,
        system text NOT NULL,
        id text NOT NULL,
        note_id uuid NOT NULL,
        CONSTRAINT pk_note_external_references PRIMARY KEY (workspace_id, system, id),
        CONSTRAINT fk_note_external_references_note FOREIGN KEY (workspace_id, note_id)
          REFERENCES notes (workspace_id, id)
      );
      CREATE INDEX ix_note_external_references_note ON note_external_references (workspace_id, note_id);
      CREATE TABLE note_messages (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        note_id uuid NOT NULL,
        description text,
        source text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        CONSTRAINT pk_note_messages PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_note_messages_note FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id)
      );
      CREATE INDEX ix_note_messages_note ON note_messages (workspace_id, note_id, id);
      CREATE TABLE note_events (
        workspace_id uuid NOT NULL,
        sequence bigint NOT NULL,
        note_id uuid NOT NULL,
        kind text NOT NULL,
        field text,
        "from" jsonb,
        "to" jsonb,
        message_id uuid,
        actor_id uuid,
        source text NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_note_events PRIMARY KEY (workspace_id, sequence),
        CONSTRAINT fk_note_events_note FOREIGN KEY (workspace_id, note_id) REFERENCES notes (workspace_id, id)
      );
      CREATE INDEX ix_note_events_note ON note_events (workspace_id, note_id, sequence);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE note_events, note_messages, note_external_references, notes, note_counters');
  }
}
