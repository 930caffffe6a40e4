import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log of a workspace: the credential with which a caller acted, the program of the caller, and what was done.
 * The former version inserts entries without the new columns.
 */
export class WorkspaceAudit1763700021000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE auth_events
        ADD COLUMN actor_key_id uuid,
        ADD COLUMN actor_key_name text,
        ADD COLUMN credential text,
        ADD COLUMN user_agent text,
        ADD COLUMN details jsonb;
      CREATE INDEX ix_auth_events_workspace
        ON auth_events (workspace_id, kind, at DESC NULLS LAST, id DESC NULLS LAST) WHERE workspace_id IS NOT NULL;
      CREATE INDEX ix_auth_events_access
        ON auth_events (user_id, at DESC NULLS LAST, id DESC NULLS LAST)
        WHERE workspace_id IS NULL AND kind <> 'refreshed';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX ix_auth_events_access;
      DROP INDEX ix_auth_events_workspace;
      ALTER TABLE auth_events
        DROP COLUMN actor_key_id, DROP COLUMN actor_key_name, DROP COLUMN credential, DROP COLUMN user_agent,
        DROP COLUMN details;
    `);
  }
}
