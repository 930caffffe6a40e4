import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A proposal contains former values of rows as the caller may read them who has compared it last. */
export class ComparedProposals1763710024000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE table_proposals ADD COLUMN compared_policy_version text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE table_proposals DROP COLUMN compared_policy_version');
  }
}
