import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The access policies under which an import or a proposal was sent: callers with an access policy read those that they
 * have sent under their present policies (ADR 0187). The former version leaves the columns null.
 */
export class RestrictedLoads1763700044000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE table_imports ADD COLUMN policy_version text;
      ALTER TABLE table_proposals ADD COLUMN policy_version text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE table_imports DROP COLUMN policy_version;
      ALTER TABLE table_proposals DROP COLUMN policy_version`);
  }
}
