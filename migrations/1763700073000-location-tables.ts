import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Removes the listed keys of rows: references without a target are looked up in the tables themselves (ADR 0205).
 * More location tables of a workspace than are allowed now remain. Instances of the former version read the listed
 * keys: stop all of them before. @incompatible
 */
export class LocationTables1763700073000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE row_key_positions, row_keys');
  }

  /** Without keys: the former version lists them again. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE row_keys (
        workspace_id uuid NOT NULL,
        entity text NOT NULL,
        key text COLLATE "C" NOT NULL,
        table_id uuid NOT NULL,
        CONSTRAINT pk_row_keys PRIMARY KEY (workspace_id, entity, key, table_id)
      );
      CREATE TABLE row_key_positions (
        workspace_id uuid NOT NULL CONSTRAINT fk_row_key_positions_workspace REFERENCES workspaces (id),
        table_id uuid NOT NULL,
        revision bigint NOT NULL,
        key text COLLATE "C",
        CONSTRAINT pk_row_key_positions PRIMARY KEY (workspace_id, table_id)
      );
    `);
  }
}
