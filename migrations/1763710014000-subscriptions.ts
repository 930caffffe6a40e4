import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Subscriptions to events, and the queue and log of their deliveries. A subscription delivers events on behalf of its
 * owner, restricted by its access policy (ADR 0158). `owner_id` is null if the owner is `created_by`.
 */
export class Subscriptions1763710014000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscriptions (
        workspace_id uuid NOT NULL CONSTRAINT fk_subscriptions_workspace REFERENCES workspaces (id),
        id uuid NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        description text,
        status text NOT NULL DEFAULT 'enabled',
        disabled_reason text,
        secret bytea NOT NULL,
        previous_secret bytea,
        previous_secret_until timestamptz(3),
        queued_through bigint NOT NULL,
        failing_since timestamptz(3),
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        owner_id uuid,
        policy_id uuid,
        excluded_actor_id uuid,
        watcher_id uuid,
        CONSTRAINT pk_subscriptions PRIMARY KEY (workspace_id, id)
      );
      CREATE TABLE event_deliveries (
        workspace_id uuid NOT NULL,
        id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        sequence bigint,
        status text NOT NULL DEFAULT 'pending',
        due_at timestamptz(3),
        lease uuid,
        retries integer NOT NULL DEFAULT 0,
        attempts jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT pk_event_deliveries PRIMARY KEY (workspace_id, id),
        CONSTRAINT fk_event_deliveries_subscription FOREIGN KEY (workspace_id, subscription_id)
          REFERENCES subscriptions (workspace_id, id) ON DELETE CASCADE
      );
      CREATE INDEX ix_event_deliveries_due ON event_deliveries (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX ix_event_deliveries_queue ON event_deliveries (workspace_id, subscription_id, due_at)
        WHERE due_at IS NOT NULL;
      CREATE INDEX ix_event_deliveries_subscription
        ON event_deliveries (workspace_id, subscription_id, created_at, id);
      CREATE INDEX ix_event_deliveries_created ON event_deliveries (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_deliveries, subscriptions');
  }
}
