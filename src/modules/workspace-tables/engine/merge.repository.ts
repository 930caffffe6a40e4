import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SQLSTATE } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalKeyName } from '../catalog/physical-table.js';
import type { StoredRow } from '../catalog/rows.repository.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { OpenBatch } from './open-batch.js';
import { BatchRecords } from './batch-records.repository.js';
import type { RowStatus } from './dto/upsert-report.dto.js';
import {
  buildMergeStatements,
  buildSmallMerges,
  insertMissing,
  type MergeRelation,
  type MergeStatement,
  type MergeTarget,
  savePreviousAt,
  updateAt,
} from './merge-sql.js';
import { TombstonesRepository } from './tombstones.repository.js';
import { SAVED_BYTES } from './undo-sql.js';
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

/** A row that a merge creates or changes. */
interface Changed {
  key: string;
  /** Where it is stored; null if it is created. */
  at: string | null;
  /** Of the previous values; null if it is created. */
  bytes: number | null;
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
    private readonly records: BatchRecords,
    private readonly tombstones: TombstonesRepository,
  ) {}

  /** Creates missing rows and merges different ones. Equal rows are not written. */
  async merge(
    table: CatalogTable,
    relations: AsyncIterable<MergeRelation>,
    withStatuses: boolean,
    batch?: OpenBatch,
  ): Promise<WrittenRows> {
    const written: WrittenRows = { created: 0, updated: 0, statuses: new Map() };
    const target = await this.createTarget(batch);
    for await (const relation of relations)
      await this.mergeRelation(table, relation, table.revision + 1, target, written, withStatuses);
    return written;
  }

  /**
   * Merges a few rows into each of several distinct tables, which have no tombstones, with fewer statements than tables.
   *
   * @returns the counts, in the order of the tables.
   */
  async mergeSmall(merges: readonly SmallMerge[], batch?: OpenBatch): Promise<WrittenRows[]> {
    const written: WrittenRows[] = [];
    if (merges.length === 0) return written;
    const target = await this.createTarget(batch);
    if (target.isDistributed) {
      for (const { table, relation, revision } of merges) {
        const rows: WrittenRows = { created: 0, updated: 0, statuses: new Map() };
        await this.mergeRelation(table, relation, revision, target, rows, false);
        written.push(rows);
      }
      return written;
    }
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

  private async mergeRelation(
    table: CatalogTable,
    relation: MergeRelation,
    revision: number,
    target: MergeTarget,
    written: WrittenRows,
    withStatuses: boolean,
  ): Promise<void> {
    const { parameters, rows } = relation;
    const { batch } = target;
    await this.tombstones.remove(table, relation, batch);
    const before = written.created + written.updated;
    for (const statement of buildMergeStatements(table, relation, target)) {
      if (written.created + written.updated - before === rows) break;
      if (batch && statement.different && relation.pick) {
        const found = await this.database.query<Changed>(statement.different, parameters, PLAN_EACH_TIME);
        await this.writeChanged(table, relation.pick, found, revision, target, written);
        if (withStatuses)
          for (const { key, at } of found) written.statuses.set(key, at === null ? 'created' : 'updated');
        continue;
      }
      const all = [...parameters, revision];
      // The previous values that are stored are those of the rows that the statement updates.
      const updated =
        batch && statement.saving ? await this.save(table, batch, statement.saving, parameters) : undefined;
      if (withStatuses) await this.writeWithStatuses(table, statement, all, written, batch);
      else await this.write(statement, all, written, batch, updated);
    }
  }

  /** On a cluster: stores the previous values of the rows that were found to change, and writes the rows. */
  private async writeChanged(
    table: CatalogTable,
    pick: NonNullable<MergeRelation['pick']>,
    found: readonly Changed[],
    revision: number,
    { batch, ...target }: MergeTarget,
    written: WrittenRows,
  ): Promise<void> {
    if (found.length === 0) return;
    for (const { bytes } of found) batch!.undoBytes += bytes ?? 0;
    const stored = found.flatMap(({ at }) => at ?? []);
    const saving =
      stored.length > 0 &&
      this.database.affected(savePreviousAt(table, batch!), [encodeArray('text', stored)], PLAN_EACH_TIME);
    // PostgreSQL executes the statement meanwhile.
    const sending = setImmediate().then(() => pick(new Map(found.map(({ key, at }) => [key, at]))));
    const [saved, { existing, missing }] = await Promise.all([saving, sending]);
    if (existing) {
      const parameters = [...existing.parameters, revision];
      const updated = await this.database.affected(updateAt(table, existing, target), parameters, PLAN_EACH_TIME);
      if (saved !== stored.length || updated !== stored.length) throw createMovedError();
      written.updated += updated;
    }
    if (missing) {
      const { sql } = insertMissing(table, missing, target);
      written.created += await this.database.affected(sql, [...missing.parameters, revision], PLAN_EACH_TIME);
    }
  }

  private async createTarget(batch: OpenBatch | undefined): Promise<MergeTarget> {
    return { batch, time: await this.selectTime(batch), isDistributed: this.database.isDistributed };
  }

  /** SQL: the time of rows. A cluster accepts no function that reads the clock in a statement that also reads the table. */
  private async selectTime(batch: OpenBatch | undefined): Promise<string> {
    if (!this.database.isDistributed) return 'statement_timestamp()';
    return `${quoteLiteral(batch?.startedAt ?? (await this.records.now()))}::timestamptz`;
  }

  /** Stores previous values on a cluster. @returns the number of rows. */
  private save(table: CatalogTable, batch: OpenBatch, sql: string, parameters: readonly unknown[]): Promise<number> {
    batch.unmeasured.add(table.id);
    return this.database.affected(sql, parameters, PLAN_EACH_TIME);
  }

  /** @param updated the number of rows that the statement updates, if known. */
  private async write(
    { before, sql, created }: MergeStatement,
    parameters: unknown[],
    written: WrittenRows,
    batch: OpenBatch | undefined,
    updated: number | undefined,
  ): Promise<void> {
    if (updated !== undefined) {
      const affected = await this.database.affected(sql, parameters, PLAN_EACH_TIME);
      written.updated += updated;
      written.created += affected - updated;
      return;
    }
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

/** The error of a transaction that is repeated: the table was moved to another node between two statements. */
function createMovedError(): Error {
  return Object.assign(new Error('The rows of a table were moved during a merge.'), {
    code: SQLSTATE.serializationFailure,
  });
}
