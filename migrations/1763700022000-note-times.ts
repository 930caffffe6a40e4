import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes by when they were opened and closed, which analytics counts them by. */
export class NoteTimes1763700022000 implements MigrationInterface {
  name = 'NoteTimes1763700022000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX ix_notes_created ON notes (workspace_id, created_at);
      CREATE INDEX ix_notes_closed ON notes (workspace_id, closed_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ix_notes_created, ix_notes_closed');
  }
}
