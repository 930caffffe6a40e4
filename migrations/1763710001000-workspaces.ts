import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Workspaces: a small global table, which a cluster copies to every node. A deleted workspace is removed from
 * `removal_due_at` on, and can be restored until then.
 */
export class Workspaces1763710001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workspaces (
        id uuid NOT NULL CONSTRAINT pk_workspaces PRIMARY KEY,
        name text NOT NULL,
        slug text NOT NULL CONSTRAINT uq_workspaces_slug UNIQUE,
        timezone text NOT NULL DEFAULT 'UTC',
        settings jsonb NOT NULL DEFAULT '{}',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        created_by uuid,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_by uuid,
        removal_due_at timestamptz(3)
      );
      CREATE INDEX ix_workspaces_removal ON workspaces (removal_due_at) WHERE removal_due_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspaces');
  }
}
