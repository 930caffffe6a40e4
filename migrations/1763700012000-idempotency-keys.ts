import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that may be sent again, with their answers. Its rows are short-lived and found by their key alone. */
export class IdempotencyKeys1763700012000 implements MigrationInterface {
  name = 'IdempotencyKeys1763700012000';

  async up(runner: QueryRunner): Promise<void> {
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
