import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An erasure also replaces the addresses that a user had before. */
export class FormerEmails1763710023000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE users ADD COLUMN former_emails text[] NOT NULL DEFAULT '{}'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN former_emails');
  }
}
