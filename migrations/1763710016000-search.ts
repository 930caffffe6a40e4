import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The search index of a workspace. Background work fills it from the event log and the change feeds (ADR 0183). */
export class Search1763710016000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE search_indexes (
        workspace_id uuid NOT NULL CONSTRAINT fk_search_indexes_workspace REFERENCES workspaces (id),
        sequence bigint NOT NULL,
        is_pending boolean NOT NULL DEFAULT true,
        CONSTRAINT pk_search_indexes PRIMARY KEY (workspace_id)
      );
      CREATE INDEX ix_search_indexes_pending ON search_indexes (workspace_id) WHERE is_pending;
      CREATE TABLE search_positions (
        workspace_id uuid NOT NULL,
        source text NOT NULL,
        revision bigint NOT NULL,
        key text COLLATE "C",
        changes_since bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_search_positions PRIMARY KEY (workspace_id, source)
      );
      CREATE TABLE search_entries (
        workspace_id uuid NOT NULL,
        source text NOT NULL,
        id text COLLATE "C" NOT NULL,
        code text COLLATE "C",
        words tsvector NOT NULL,
        CONSTRAINT pk_search_entries PRIMARY KEY (workspace_id, source, id)
      );
      CREATE INDEX ix_search_entries_code ON search_entries (workspace_id, code) WHERE code IS NOT NULL;
      -- A search reads the whole list of pending entries: at most 256 kB.
      CREATE INDEX ix_search_entries_words ON search_entries USING gin (words) WITH (gin_pending_list_limit = 256);
      CREATE TABLE search_words (
        workspace_id uuid NOT NULL,
        variant text COLLATE "C" NOT NULL,
        word text COLLATE "C" NOT NULL,
        CONSTRAINT pk_search_words PRIMARY KEY (workspace_id, variant, word)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE search_words, search_entries, search_positions, search_indexes');
  }
}
