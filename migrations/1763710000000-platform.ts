import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of src/platform: idempotency keys, rate limit buckets and the directory. */
export class Platform1763710000000 implements MigrationInterface {
  /** @throws Error if the database has the tables of an unreleased version, whose migrations were other ones. */
  async up(runner: QueryRunner): Promise<void> {
    const migrated = (await runner.query('SELECT name FROM migrations LIMIT 1')) as unknown[];
    if (migrated.length > 0) {
      throw new Error(
        'The database was created by an unreleased version, which cannot be upgraded. ' +
          'Run "npm run db:reset", or set DATABASE_URL to an empty database.',
      );
    }
    await runner.query(`
      CREATE TABLE idempotency_keys (
        caller text NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        claim uuid NOT NULL,
        holds_until timestamptz NOT NULL,
        status integer,
        headers jsonb,
        body text,
        CONSTRAINT pk_idempotency_keys PRIMARY KEY (caller, key)
      );
      CREATE INDEX ix_idempotency_keys_until ON idempotency_keys (holds_until);
      CREATE TABLE rate_buckets (
        key text NOT NULL CONSTRAINT pk_rate_buckets PRIMARY KEY,
        hits timestamptz[] NOT NULL,
        blocked_until timestamptz,
        idle_at timestamptz NOT NULL
      );
      CREATE INDEX ix_rate_buckets_idle ON rate_buckets (idle_at);
      CREATE TABLE directory (
        kind text NOT NULL,
        id text NOT NULL,
        workspace_id uuid NOT NULL,
        CONSTRAINT pk_directory PRIMARY KEY (kind, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE directory, rate_buckets, idempotency_keys');
  }
}
