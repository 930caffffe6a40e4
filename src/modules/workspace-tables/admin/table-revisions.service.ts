import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { TableRevisionsRepository } from './table-revisions.repository.js';

/** More revisions than a table can have received between a backup and its restore. */
const SKIPPED = 1_000_000;

/** The revisions of tables after a restore of the database. */
@Injectable()
export class TableRevisionsService {
  constructor(
    private readonly sql: Sql,
    private readonly repository: TableRevisionsRepository,
  ) {}

  /**
   * Skips revisions that callers may have received before the restore: no later change may have one of them again, and
   * the change feed rejects them, so that its readers export the tables again. Operators do not know all readers, and
   * all of them would store and compare an identity of the database that each response contains.
   *
   * @returns the number of tables.
   */
  skip(workspaceId: string): Promise<number> {
    return this.sql.transaction(() => this.repository.advance(workspaceId, SKIPPED));
  }
}
