import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the access policy that restricts the events of a subscription (ADR 0158). */
export class SubscriptionPolicies1763700047000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN policy_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN policy_id');
  }
}
