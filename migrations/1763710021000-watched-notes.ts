import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions may contain only the events of notes that a user watches. */
export class WatchedNotes1763710021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN watcher_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN watcher_id');
  }
}
