import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DatabaseState } from '../database/database-state.js';
import { quoteLiteral } from '../database/sql-literal.js';

/** Size in bytes from which a plan for an empty table is slow: about a thousand rows. */
const MIN_BYTES = 512 * 1024;

/** Statistics that PostgreSQL has of the fixed tables. */
@Injectable()
export class FixedTableStatisticsRepository {
  /** SQL: the tables that have pages, but no rows according to their statistics. */
  readonly missing: string;

  constructor(
    private readonly database: Database,
    state: DatabaseState,
  ) {
    this.missing = `
      SELECT NULL::uuid AS workspace_id, relname FROM pg_class
       WHERE oid = ANY (${quoteLiteral(`{${state.fixedTables.join()}}`)}::regclass[]) AND reltuples <= 0 AND pg_relation_size(oid) >= ${MIN_BYTES}`;
  }

  /** @returns the names of the tables without statistics. */
  async listMissing(): Promise<string[]> {
    const found = await this.database.query<{ relname: string }>(this.missing);
    return found.map(({ relname }) => relname);
  }

  async analyze(table: string): Promise<void> {
    await this.database.query(`ANALYZE ${table}`);
  }
}
