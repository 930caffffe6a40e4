import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { ExpensiveReads } from '../../../platform/http/expensive-reads.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { ExportAudit } from '../query/export-audit.js';
import { DifferenceLines } from '../../../../packages/tables/src/reader/json-lines.js';
import { InvalidQueryError } from '../../../../packages/tables/src/catalog/query.errors.js';
import type { DifferencesQueryDto } from './dto/row-history.dto.js';
import { selectDifferences } from '../../../../packages/tables/src/catalog/row-versions-sql.js';
import { listenOnce } from '../../../platform/listeners.js';

/** The differences of a table between two moments. */
@Injectable()
export class DifferencesService {
  constructor(
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    private readonly reads: ExpensiveReads,
    private readonly audit: ExportAudit,
  ) {}

  /**
   * Compares the rows of two moments in one snapshot.
   *
   * @returns lines of JSON: the differences in the order of their keys, and a summary.
   * @throws {NotFoundError | InvalidQueryError | UnknownRevisionError | HistoryExpiredError} before the first line.
   */
  async start(ref: TableRef, { from, to }: DifferencesQueryDto): Promise<Readable> {
    const prepare = async () => {
      await this.sql.awaitCommits(ref.view.workspaceId);
      const now = await this.catalog.get(ref);
      const before = await this.catalog.getAsOf(now, { field: 'from', text: from });
      const after = await this.catalog.getAsOf(now, { field: 'to', text: to ?? String(now.revision) });
      if (before.revision > after.revision)
        throw new InvalidQueryError('to', 'invalid_value', '"to" is before "from". Exchange the two moments.');
      const lines = new DifferenceLines(before.columns);
      return {
        result: { lines, now },
        sql: `COPY (${selectDifferences({ before, after })}) TO STDOUT`,
        through: lines,
      };
    };
    const { result, stream } = await this.catalog.readWithRetry(() => this.reads.copyOut(prepare));
    const read = Readable.from(toLines(stream, result.lines), { objectMode: false });
    // Also if the caller disconnects before the first line: the differences occupy a connection.
    listenOnce(read, 'close', () => stream.destroy());
    return this.audit.recordEnd(read, result.now, 'ndjson', 'differences');
  }
}

async function* toLines(differences: Readable, lines: DifferenceLines): AsyncGenerator<string | Buffer> {
  for await (const chunk of differences) yield chunk as Buffer;
  yield `${JSON.stringify({ summary: lines.counts })}\n`;
}
