import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The event log of each workspace. Events are recorded in `pending_events` and numbered after the commit (ADR 0061).
 */
export class Events1763710013000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_counters (
        workspace_id uuid NOT NULL CONSTRAINT fk_event_counters_workspace REFERENCES workspaces (id),
        last_sequence bigint NOT NULL DEFAULT 0,
        removed_through bigint NOT NULL DEFAULT 0,
        CONSTRAINT pk_event_counters PRIMARY KEY (workspace_id)
      );
      CREATE TABLE pending_events (
        workspace_id uuid NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        id uuid NOT NULL,
        type text NOT NULL,
        actor_id uuid,
        source text NOT NULL,
        data json NOT NULL,
        CONSTRAINT pk_pending_events PRIMARY KEY (workspace_id, recorded_at, id)
      );
      CREATE TABLE events (
        workspace_id uuid NOT NULL,
        sequence bigint NOT NULL,
        recorded_at timestamptz NOT NULL,
        id uuid NOT NULL,
        type text NOT NULL,
        actor_id uuid,
        source text NOT NULL,
        data json NOT NULL,
        CONSTRAINT pk_events PRIMARY KEY (workspace_id, sequence)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE events, pending_events, event_counters');
  }
}
