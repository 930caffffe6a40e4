import { DataSource } from 'typeorm';
import { Database } from '../../../src/platform/database/database.js';
import { TestDatabase } from '../../../test/support/service.js';

/** The fixed tables that the engine reads and writes, as the migrations of the service create them. */
const FIXED_TABLES = `
  CREATE TABLE workspace_tables (
    workspace_id uuid, id uuid, entity text NOT NULL, name text NOT NULL, name_key text NOT NULL,
    revision bigint NOT NULL DEFAULT 0, dropped_ordinal integer NOT NULL DEFAULT 0, definition_id uuid NOT NULL,
    options jsonb NOT NULL DEFAULT '{}', tombstones_since timestamptz(3), changes_since bigint NOT NULL DEFAULT 0,
    history_since bigint NOT NULL DEFAULT 0, created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, id), UNIQUE (workspace_id, entity, name_key));
  CREATE TABLE workspace_columns (
    workspace_id uuid, table_id uuid, key text, ordinal integer NOT NULL, name text NOT NULL, type text NOT NULL,
    primary_key boolean NOT NULL, required boolean NOT NULL, description text, options jsonb NOT NULL DEFAULT '{}',
    added_revision bigint NOT NULL DEFAULT 0, created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, table_id, key), UNIQUE (workspace_id, table_id, ordinal));
  CREATE TABLE column_indexes (
    workspace_id uuid, table_id uuid, ordinals integer[], state text NOT NULL, message text, token uuid,
    due_at timestamptz(3) DEFAULT now(), failed_revision bigint, PRIMARY KEY (workspace_id, table_id, ordinals));
  CREATE TABLE former_table_names (
    workspace_id uuid, entity text, name_key text, table_id uuid NOT NULL, revision bigint NOT NULL,
    PRIMARY KEY (workspace_id, entity, name_key));
  CREATE TABLE table_batches (
    workspace_id uuid, id uuid, source text NOT NULL, tables jsonb NOT NULL, undoes uuid, undone_by uuid,
    created_by uuid, created_at timestamptz(3) NOT NULL DEFAULT now(), PRIMARY KEY (workspace_id, id));
  CREATE TABLE table_revisions (
    workspace_id uuid, table_id uuid, revision bigint, at timestamptz(3) NOT NULL, by uuid, batch_id uuid, source text,
    PRIMARY KEY (workspace_id, table_id, revision))`;

/** A database of its own with the fixed tables of the engine, and nothing else of the service. */
export class EngineDatabase extends Database {
  private constructor(
    private readonly server: TestDatabase,
    private readonly connections: DataSource,
  ) {
    super(connections);
  }

  /** @param poolSize connections at most. */
  static async create(poolSize = 10): Promise<EngineDatabase> {
    const server = await TestDatabase.createEmpty();
    const extra = { lock_timeout: 20_000 };
    const connections = await new DataSource({ type: 'postgres', url: server.url, poolSize, extra }).initialize();
    const database = new EngineDatabase(server, connections);
    await database.query(FIXED_TABLES);
    return database;
  }

  async close(): Promise<void> {
    await this.connections.destroy();
    await this.server.drop();
  }
}
