import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Types, categories, work centers, watchers and external references of notes. The columns have constant defaults, so
 * that no row is written. A later migration builds the indexes: this one blocks reads of notes until it ends.
 */
export class NotesAsWork1763710017000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notes
        ADD COLUMN type text COLLATE "C" NOT NULL DEFAULT 'note',
        ADD COLUMN category text COLLATE "C",
        ADD COLUMN work_center text COLLATE "C",
        ADD COLUMN external_references jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN watchers uuid[] NOT NULL DEFAULT '{}';
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE note_external_references;
      ALTER TABLE notes DROP COLUMN type, DROP COLUMN category, DROP COLUMN work_center,
        DROP COLUMN external_references, DROP COLUMN watchers;
    `);
  }
}
