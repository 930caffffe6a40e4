import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Attempts that count against a shared rate limit. Its rows are short-lived and found by their key alone. */
export class RateBuckets1763700010000 implements MigrationInterface {
  name = 'RateBuckets1763700010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE rate_buckets (
        key text NOT NULL CONSTRAINT pk_rate_buckets PRIMARY KEY,
        hits timestamptz[] NOT NULL,
        blocked_until timestamptz,
        idle_at timestamptz NOT NULL
      );
      CREATE INDEX ix_rate_buckets_idle ON rate_buckets (idle_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_buckets');
  }
}
