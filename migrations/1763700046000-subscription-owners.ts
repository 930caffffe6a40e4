import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the owner on whose behalf a subscription delivers events (ADR 0158). Null, as instances of the former version
 * leave it: who has created the subscription.
 */
export class SubscriptionOwners1763700046000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN owner_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN owner_id');
  }
}
