import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes of the fields of notes. They block writes of notes until all are built, but no reads: the columns are added
 * in another transaction.
 */
export class IndexesOfNotes1763710022000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX IF NOT EXISTS ix_notes_priority ON notes (workspace_id, priority, id);
      CREATE INDEX IF NOT EXISTS ix_notes_category ON notes (workspace_id, category, id);
      CREATE INDEX IF NOT EXISTS ix_notes_work_center ON notes (workspace_id, work_center, id);
      CREATE INDEX IF NOT EXISTS ix_notes_type ON notes (workspace_id, type, id);
      CREATE INDEX IF NOT EXISTS ix_notes_custom_fields ON notes USING gin (custom_fields jsonb_path_ops);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_notes_priority, ix_notes_category, ix_notes_work_center, ix_notes_type, ix_notes_custom_fields
    `);
  }
}
