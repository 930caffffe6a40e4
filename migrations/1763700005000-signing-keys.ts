import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that sign tokens; private halves are encrypted under ENCRYPTION_KEY. One active key a use. */
export class SigningKeys1763700005000 implements MigrationInterface {
  name = 'SigningKeys1763700005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE signing_keys (
        kid text NOT NULL CONSTRAINT pk_signing_keys PRIMARY KEY,
        use text NOT NULL,
        alg text NOT NULL,
        state text NOT NULL,
        public_key text NOT NULL,
        encrypted_private_key bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        activated_at timestamptz(3),
        retired_at timestamptz(3)
      );
      CREATE UNIQUE INDEX uq_signing_keys_active ON signing_keys (use) WHERE state = 'active';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signing_keys');
  }
}
