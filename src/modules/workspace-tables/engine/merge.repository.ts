import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName } from '../catalog/physical-table.js';
import type { StoredRow } from '../catalog/rows.repository.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { OpenBatch } from './batch-recorder.js';
import { BatchTimes } from './batch-times.repository.js';
import type { RowStatus } from './dto/upsert-report.dto.js';
import {
  buildMergeStatements,
  buildSmallMerges,
  buildTombstoneDeletion,
  type MergeRelation,
  type MergeStatement,
} from './merge-sql.js';
import { SAVED_BYTES, saveTombstones } from './undo-sql.js';
import { buildRowWrite, type RowsToWrite, type RowWrite } from './row-write-sql.js';

/** The number of written rows. Rows that were neither created nor updated were equal. */
export interface WrittenRows {
  created: number;
  updated: number;
  /** Statuses of the written rows by key, if requested. */
  statuses: Map<string, RowStatus>;
}

interface MergeCounts {
  created: number;
  updated: number;
  /** Of the previous values. */
  bytes: number;
}

/** A few rows for one table. */
export interface SmallMerge {
  table: CatalogTable;
  relation: MergeRelation;
  revision: number;
}

/** Tables that one statement merges: PostgreSQL plans and executes them one after another, so more would save little. */
const MAX_SMALL_MERGES = 25;

/** A row as one statement has written it. */
export interface DirectlyWrittenRow extends StoredRow {
  key: string;
  /** The name of the table when the row was written. */
  tableName: string;
  created: boolean;
}

/** Merges rows of a source relation into a physical table. The caller has the lock of the table. */
@Injectable()
export class MergeRepository {
  constructor(
    private readonly database: Database,
    private readonly times: BatchTimes,
  ) {}

  /** Creates missing rows and merges different ones. Equal rows are not written. */
  async merge(
    table: CatalogTable,
    relations: AsyncIterable<MergeRelation>,
    withStatuses: boolean,
    batch?: OpenBatch,
  ): Promise<WrittenRows> {
    const written: WrittenRows = { created: 0, updated: 0, statuses: new Map() };
    const target = { batch, time: await this.selectTime() };
    for await (const relation of relations) {
      const { parameters, rows } = relation;
      if (table.hasTombstones) await this.removeTombstones(table, relation, batch);
      const before = written.created + written.updated;
      for (const statement of buildMergeStatements(table, relation, target)) {
        if (written.created + written.updated - before === rows) break;
        const all = [...parameters, table.revision + 1];
        if (withStatuses) await this.writeWithStatuses(table, statement, all, written, batch);
        else await this.write(statement, all, written, batch);
      }
    }
    return written;
  }

  /**
   * Merges a few rows into each of several distinct tables, which have no tombstones, with fewer statements than tables.
   *
   * @returns the counts, in the order of the tables.
   */
  async mergeSmall(merges: readonly SmallMerge[], batch?: OpenBatch): Promise<WrittenRows[]> {
    const written: WrittenRows[] = [];
    const target = { batch, time: await this.selectTime() };
    for (let from = 0; from < merges.length; from += MAX_SMALL_MERGES) {
      const part = merges.slice(from, from + MAX_SMALL_MERGES);
      const parameters = part.flatMap(({ relation, revision }) => [...relation.parameters, revision]);
      const sql = buildSmallMerges(part, target);
      for (const { bytes, ...counts } of await this.database.query<MergeCounts>(sql, parameters, PLAN_EACH_TIME)) {
        written.push({ ...counts, statuses: new Map() });
        if (batch) batch.undoBytes += bytes;
      }
    }
    return written;
  }

  /**
   * Locks the table and writes rows by one statement.
   *
   * @param events ID and caller of the event of each key.
   * @param revision that the table must have, if known.
   * @returns the written rows; those that were not written are equal or do not meet a condition. Undefined if nothing was
   *   written because another transaction has the lock, or the table has changed.
   */
  async writeRows(
    table: CatalogTable,
    rows: RowsToWrite,
    write: RowWrite,
    events: Record<string, object>,
    revision: number | undefined,
  ): Promise<DirectlyWrittenRow[] | undefined> {
    const { workspaceId, id, definitionId, nameKey } = table;
    const conditions = [workspaceId, id, definitionId, nameKey, revision ?? null];
    const parameters = [...rows.parameters, ...conditions, JSON.stringify(events)];
    // An insertion has only one possible plan. An update of a small table may be planned as a scan of the table.
    const options = write === 'update' || write === 'delete' ? PLAN_EACH_TIME : undefined;
    const sql = buildRowWrite(table, rows, write);
    const written = await this.database.query<DirectlyWrittenRow | { key: null }>(sql, parameters, options);
    return written.length === 0 ? undefined : written.filter((row) => row.key !== null);
  }

  /** SQL: the time of rows. A cluster accepts no function that reads the clock in a statement that also reads the table. */
  private async selectTime(): Promise<string> {
    return this.database.isDistributed
      ? `${quoteLiteral(await this.times.now())}::timestamptz`
      : 'statement_timestamp()';
  }

  private async removeTombstones(table: CatalogTable, relation: MergeRelation, batch?: OpenBatch): Promise<void> {
    const removal = buildTombstoneDeletion(table, relation);
    if (!batch) {
      await this.database.affected(removal, relation.parameters, PLAN_EACH_TIME);
      return;
    }
    const sql = saveTombstones(table, batch, removal);
    const [saved] = await this.database.query<{ bytes: number }>(sql, relation.parameters, PLAN_EACH_TIME);
    batch.undoBytes += saved!.bytes;
  }

  private async write(
    { before, sql, created }: MergeStatement,
    parameters: unknown[],
    written: WrittenRows,
    batch?: OpenBatch,
  ): Promise<void> {
    if (created !== 'w.xmax = 0' && before === undefined) {
      written[created === 'true' ? 'created' : 'updated'] += await this.database.affected(
        sql,
        parameters,
        PLAN_EACH_TIME,
      );
      return;
    }
    const saved = before === undefined ? '' : `${before}, `;
    const [counts] = await this.database.query<MergeCounts>(
      `WITH ${saved}written AS (${sql} RETURNING ${created} AS created)
       SELECT (count(*) FILTER (WHERE created))::int AS created, (count(*) FILTER (WHERE NOT created))::int AS updated,
              ${before === undefined ? '0' : SAVED_BYTES} AS bytes FROM written`,
      parameters,
      PLAN_EACH_TIME,
    );
    written.created += counts!.created;
    written.updated += counts!.updated;
    if (batch) batch.undoBytes += counts!.bytes;
  }

  private async writeWithStatuses(
    table: CatalogTable,
    { before, sql, created }: MergeStatement,
    parameters: unknown[],
    written: WrittenRows,
    batch?: OpenBatch,
  ): Promise<void> {
    const returning = `${sql} RETURNING w.${physicalKeyName(table)} AS key, ${created} AS created`;
    const rows = await this.database.query<{ key: string; created: boolean; bytes?: number }>(
      before === undefined
        ? returning
        : `WITH ${before}, written AS (${returning}) SELECT w.*, ${SAVED_BYTES} AS bytes FROM written w`,
      parameters,
      PLAN_EACH_TIME,
    );
    for (const row of rows) {
      const status = row.created ? 'created' : 'updated';
      written[status]++;
      written.statuses.set(row.key, status);
    }
    if (batch) batch.undoBytes += rows[0]?.bytes ?? 0;
  }
}
