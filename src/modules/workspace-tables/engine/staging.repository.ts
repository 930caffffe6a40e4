import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import { physicalTableName } from '../catalog/physical-table.js';
import { encodeArray } from '../catalog/pg-array.js';
import { keysOnCycles } from './cycles.js';
import type { RowError } from './row-errors.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { FoundErrors, ImportRowError } from './import-errors.js';
import {
  ANY_REPEATED,
  clearTombstones,
  createStaging,
  DROP_LINKS,
  insertMissing,
  lacking,
  LIST_REPEATED,
  listUnresolved,
  listWhere,
  parentLinks,
  REFUSE_REPEATED,
  refuseWhere,
  ROOTLESS,
  type StagedColumn,
  STAGING,
  type Staging,
  updateDiffering,
} from './staging.js';

/** Memory that one sort or join of an import may take before it goes to the disk, and how long it may wait for nothing. */
const WORK_MEM = '64MB';
const IDLE_TIMEOUT_S = 60;

/** Unresolved links that are listed. */
const MAX_LISTED_LINKS = 20;

type Place = Pick<ImportRowError, 'index' | 'line' | 'key'> & { total: number };

/** A link of the file that names no row. */
export interface UnresolvedImportLink {
  index: number;
  line: number;
  column: string;
  value: string;
}

/** The staging table of an import, in its transaction: filled by COPY, checked, and merged in a few statements. */
@Injectable()
export class StagingRepository {
  constructor(private readonly database: Database) {}

  /** Of this transaction alone: a pooled connection goes on with its own settings. @returns the process that has it. */
  async begin(timeoutS: number): Promise<number> {
    const [row] = await this.database.query<{ backend: number }>(
      `SELECT pg_backend_pid() AS backend, set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
              set_config('idle_in_transaction_session_timeout', $2, true), set_config('work_mem', $3, true)`,
      [`${timeoutS}s`, `${IDLE_TIMEOUT_S}s`, WORK_MEM],
    );
    return row!.backend;
  }

  async fill(columns: readonly CatalogColumn[], bytes: AsyncIterable<Buffer>): Promise<void> {
    await this.database.query(createStaging(columns));
    await this.database.copyIn(`COPY ${STAGING} FROM STDIN (FORMAT binary)`, bytes);
  }

  async isEmpty(table: CatalogTable): Promise<boolean> {
    return (await this.database.query(`SELECT FROM ${physicalTableName(table)} LIMIT 1`)).length === 0;
  }

  /** The planner knows nothing of a table that was filled a moment ago. */
  async analyze(): Promise<void> {
    await this.database.query(`ANALYZE ${STAGING} (key, faulty)`);
  }

  /** Refuses rows whose keys stand in the file more than once, all of them: which one is right would be a guess. */
  async refuseRepeated(column: string): Promise<FoundErrors> {
    const [any] = await this.database.query(ANY_REPEATED);
    if (!any) return { total: 0, rows: 0, first: [] };
    const found = await this.database.query<Place & { otherIndex: number; otherLine: number }>(LIST_REPEATED, [
      MAX_LISTED_ERRORS,
    ]);
    const rows = await this.database.affected(REFUSE_REPEATED);
    return foundFaults(found, rows, ({ otherIndex, otherLine }) => ({
      column,
      otherIndex,
      otherLine,
      code: 'duplicate_in_batch',
      message: `The row in line ${otherLine} has the same key.`,
    }));
  }

  /** Refuses new rows that leave required columns out. */
  async refuseLacking({ table, columns }: Staging): Promise<FoundErrors> {
    const lacked = table.columns
      .filter(({ required, primaryKey }) => required && !primaryKey)
      .map((column) => ({ column, staged: columns.find((sent) => sent.column.key === column.key) }))
      .filter(({ staged }) => !staged || staged.sent)
      .map(({ column, staged }) => ({ column, condition: lacking(table, staged) }));
    const found: FoundErrors = { total: 0, rows: 0, first: [] };
    for (const { column, condition } of lacked) {
      const places = await this.database.query<Place>(listWhere(condition), [MAX_LISTED_ERRORS]);
      const message = `"${column.key}" is required, and the row is new.`;
      const more = foundFaults(places, 0, () => ({ column: column.key, code: 'required', message }));
      found.total += more.total;
      found.first = [...found.first, ...more.first];
    }
    if (found.total === 0) return found;
    const any = lacked.map(({ condition }) => `(${condition})`).join(' OR ');
    return { ...found, rows: await this.database.affected(refuseWhere(any)) };
  }

  /**
   * Refuses the rows that would stand on a cycle of parents, by one column. A row that is refused keeps the parent that it
   * had, which may close another cycle: so the caller asks until there is none.
   */
  async refuseCycles(table: CatalogTable, staged: StagedColumn): Promise<FoundErrors> {
    const { key: column } = staged.column;
    await this.database.query(parentLinks(table, staged));
    const rootless = await this.database.query<{ key: string; parent: string }>(ROOTLESS);
    await this.database.query(DROP_LINKS);
    const parents = new Map(rootless.map(({ key, parent }) => [key, parent]));
    const cyclic = keysOnCycles(parents);
    if (cyclic.size === 0) return { total: 0, rows: 0, first: [] };
    // Rows of the table that the file leaves alone may be on the cycle too, and stay.
    const refused = `NOT s.faulty AND ${staged.sent ?? 'true'} AND s.key = ANY ($2::text[])`;
    const keys = encodeArray('text', [...cyclic]);
    const places = await this.database.query<Place>(listWhere(refused), [MAX_LISTED_ERRORS, keys]);
    const rows = await this.database.affected(refuseWhere(refused.replace('$2', '$1')), [keys]);
    return foundFaults(places, rows, ({ key }) => ({
      column,
      code: 'hierarchy_cycle',
      message: `With the parent "${String(parents.get(key!))}" the row would be below itself.`,
    }));
  }

  /** Inserts what is new, merges what differs and leaves alone what is equal. The caller holds the table's lock. */
  async merge(staging: Staging, revision: number): Promise<{ created: number; updated: number }> {
    const { table } = staging;
    const isEmpty = await this.isEmpty(table);
    if (table.hasTombstones) await this.database.query(clearTombstones(staging));
    const update = isEmpty ? undefined : updateDiffering(staging);
    // Before the new rows are there, so that they are not looked at.
    const updated = update ? await this.database.affected(update, [revision]) : 0;
    const created = await this.database.affected(insertMissing(staging, isEmpty), [revision]);
    return { created, updated };
  }

  /** The links of a column whose targets are not there, now that everything is written. */
  async unresolved(
    staged: StagedColumn,
    targets: readonly CatalogTable[],
  ): Promise<{ total: number; first: UnresolvedImportLink[] }> {
    const found = await this.database.query<UnresolvedImportLink & { total: number }>(listUnresolved(staged, targets), [
      MAX_LISTED_LINKS,
    ]);
    const first = found.map(({ index, line, column, value }) => ({ index, line, column, value }));
    return { total: found[0]?.total ?? 0, first };
  }
}

/** @param rows that are at fault by it and were not before. */
function foundFaults<P extends Place>(
  places: readonly P[],
  rows: number,
  fault: (place: P) => Omit<ImportRowError, 'index' | 'line' | 'key'> & Pick<RowError, 'code'>,
): FoundErrors {
  const first = places.map((place) => {
    const { index, line, key } = place;
    return { index, line, key, ...fault(place) };
  });
  return { total: places[0]?.total ?? 0, rows, first };
}
