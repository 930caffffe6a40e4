import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log of authentication and of workspaces: the credential with which a caller acted, the program of the
 * caller, and what was done.
 */
export class Audit1763710004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_events (
        id uuid NOT NULL CONSTRAINT pk_auth_events PRIMARY KEY,
        at timestamptz(3) NOT NULL DEFAULT now(),
        kind text NOT NULL,
        workspace_id uuid,
        actor_id uuid,
        user_id uuid,
        client_id text,
        session_id uuid,
        api_key_id uuid,
        reason text,
        counts jsonb,
        address text,
        request_id text,
        actor_key_id uuid,
        actor_key_name text,
        credential text,
        user_agent text,
        details jsonb
      );
      CREATE INDEX ix_auth_events_at ON auth_events (at);
      CREATE INDEX ix_auth_events_user ON auth_events (user_id, id);
      CREATE INDEX ix_auth_events_workspace
        ON auth_events (workspace_id, kind, at DESC NULLS LAST, id DESC NULLS LAST) WHERE workspace_id IS NOT NULL;
      CREATE INDEX ix_auth_events_access
        ON auth_events (user_id, at DESC NULLS LAST, id DESC NULLS LAST)
        WHERE workspace_id IS NULL AND kind <> 'refreshed';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE auth_events');
  }
}
