import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names, scopes, prefixes and creators of API keys, and their former secrets after a rotation. Existing keys have the
 * scope `api`, as before, and no known prefix. The former version can use and create keys while both versions run: its
 * statements on keys name none of the new columns.
 */
export class ApiKeyScopes1763700019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN name text NOT NULL DEFAULT 'API key',
        ADD COLUMN scopes text[] NOT NULL DEFAULT '{api}',
        ADD COLUMN prefix text,
        ADD COLUMN created_by uuid,
        ADD COLUMN former_of uuid;
      CREATE INDEX ix_api_keys_workspace ON api_keys (workspace_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM api_keys WHERE former_of IS NOT NULL');
    await runner.query(`
      DROP INDEX ix_api_keys_workspace;
      ALTER TABLE api_keys
        DROP COLUMN name, DROP COLUMN scopes, DROP COLUMN prefix, DROP COLUMN created_by, DROP COLUMN former_of;
    `);
  }
}
