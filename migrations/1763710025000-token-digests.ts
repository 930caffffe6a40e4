import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tokens of the newest second that were applied: each of them counts once. */
export class TokenDigests1763710025000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE federated_identities ADD COLUMN token_digests text[] NOT NULL DEFAULT '{}'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE federated_identities DROP COLUMN token_digests');
  }
}
