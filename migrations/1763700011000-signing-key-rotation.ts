import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys take turns: each use has one that signs next, and a retired one verifies until its time is over. */
export class SigningKeyRotation1763700011000 implements MigrationInterface {
  name = 'SigningKeyRotation1763700011000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE signing_keys ADD COLUMN verify_until timestamptz(3);
      CREATE UNIQUE INDEX uq_signing_keys_next ON signing_keys (use) WHERE state = 'next';
    `);
  }

  /** What came before knows no end of a key: one that no longer verifies must not begin to do so again. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM signing_keys WHERE verify_until IS NOT NULL AND verify_until <= now();
      DROP INDEX uq_signing_keys_next;
      ALTER TABLE signing_keys DROP COLUMN verify_until;
    `);
  }
}
