import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions may leave out the events that a user has caused. */
export class ExcludedActors1763710018000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN excluded_actor_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN excluded_actor_id');
  }
}
