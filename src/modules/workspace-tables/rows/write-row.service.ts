import { Injectable } from '@nestjs/common';
import {
  type AcceptedVersions,
  PreconditionFailedError,
  requireVersion,
} from '../../../platform/http/conditional-requests.js';
import { DomainError, NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import { ColumnFinder } from '../catalog/column-finder.js';
import { listConstraints } from '../catalog/column-constraints.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import type { ViolatedConstraintDto } from '../catalog/dto/violation.dto.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { RecentTables } from '../catalog/recent-tables.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { TableTurns } from '../catalog/table-turns.js';
import { MergeEngine } from '../engine/merge-engine.js';
import type { MergeOptions } from '../engine/merge-options.js';
import { RowWriter, type RowWriteOptions } from '../engine/row-writer.js';
import { ColumnsBusyError, InvalidTablesError, type TableError } from '../workspace-tables.errors.js';
import type { WrittenItemDto } from './dto/row.dto.js';
import { toNewKey, toRowKey } from './row-key.js';
import { toSingleRevision } from './single-revision.js';
import { ReferenceLookup } from '../catalog/reference-lookup.js';
import { RowsRepository, type StoredRow } from '../catalog/rows.repository.js';

type Body = Record<string, unknown>;

/** Conditions of a write. */
interface WriteConditions {
  /** Revisions of the row that `If-Match` accepts. */
  accepted: AcceptedVersions;
  /** Sent as `If-None-Match: *`. */
  mustBeNew?: boolean;
  /** PATCH only. */
  mustExist?: boolean;
}

export interface WrittenRow {
  row: WrittenItemDto;
  created: boolean;
}

/** A row as it was written, with the table for which it was prepared. */
interface TableWrite extends WrittenRow {
  table: CatalogTable;
}

/** A row as it is written, and its key. */
interface RowInput {
  key: string;
  item: Body;
}

/** Rolls a write back whose values were prepared for other columns than the table has. */
class ColumnsChanged extends Error {}

/** How often a write is prepared if the columns of its table change each time before it is locked. */
const MAX_ATTEMPTS = 5;

/** Writes single rows, by the rules of bulk. */
@Injectable()
export class WriteRowService {
  constructor(
    private readonly recent: RecentTables,
    private readonly engine: MergeEngine,
    private readonly writer: RowWriter,
    private readonly rows: RowsRepository,
    private readonly turns: TableTurns,
    private readonly catalog: CatalogRepository,
    private readonly references: ReferenceLookup,
  ) {}

  /**
   * Creates or replaces the row: omitted values become empty.
   *
   * @throws {InvalidTablesError | PreconditionFailedError | NotFoundError}
   */
  put(ref: TableRef, sentKey: string, body: Body, conditions: WriteConditions): Promise<WrittenRow> {
    const toInput = (table: CatalogTable) =>
      toRowInput(table, toNewKey(table, sentKey), addOmittedColumns(table, body));
    return this.write(ref, toInput, conditions);
  }

  /** Changes the values that are sent. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError} */
  async patch(ref: TableRef, sentKey: string, body: Body, accepted: AcceptedVersions): Promise<WrittenItemDto> {
    const toInput = (table: CatalogTable) => toRowInput(table, toRowKey(sentKey), body);
    const written = await this.write(ref, toInput, { accepted, mustExist: true });
    return { ...written.row, unresolved: await this.findAllUnresolved(written, body) };
  }

  /** The unresolved references of the row in the columns that were sent, which are known, and in the others. */
  private async findAllUnresolved({ row, table }: TableWrite, body: Body): Promise<WrittenItemDto['unresolved']> {
    const sent = findSentColumns(table, body);
    const unresolved = new Map(row.unresolved.map((reference) => [reference.column, reference]));
    for (const column of table.columns.filter(({ type }) => isReference(type))) {
      const value = row.item[column.key];
      if (sent.has(column) || typeof value !== 'string') continue;
      const hasTarget = await this.catalog.readWithRetry(async () => {
        const targets = await this.references.findTargets(table, column);
        return (await this.rows.findExistingIn(targets, [value])).size > 0;
      });
      if (!hasTarget) unresolved.set(column.key, { column: column.key, value });
    }
    return table.columns.flatMap(({ key }) => unresolved.get(key) ?? []);
  }

  /**
   * Writes the row by one statement, for the table as the instance read it last, then for the table as it is now. If
   * neither writes the row, the engine writes it or finds the reason.
   */
  private async write(
    ref: TableRef,
    toInput: (table: CatalogTable) => RowInput,
    conditions: WriteConditions,
  ): Promise<TableWrite> {
    const recent = this.recent.find(ref);
    const written = recent && (await this.writeDirectly(recent, toInput, conditions).catch(ignoreDomainError));
    if (written) return written;
    // PUT depends on all columns, so a write is prepared again if they change before the table is locked.
    for (let attempt = 1; ; attempt++) {
      try {
        const table = await this.recent.read(ref);
        if (!isSame(table, recent)) {
          const direct = await this.writeDirectly(table, toInput, conditions);
          if (direct) return direct;
        }
        return await this.merge(table, toInput(table), conditions);
      } catch (error) {
        if (!(error instanceof ColumnsChanged)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new ColumnsBusyError();
      }
    }
  }

  /** @returns undefined if the row was not written. Constraints and access policies are checked by `merge` only. */
  private async writeDirectly(
    table: CatalogTable,
    toInput: (table: CatalogTable) => RowInput,
    conditions: WriteConditions,
  ): Promise<TableWrite | undefined> {
    if (listConstraints(table).length > 0 || table.permission) return undefined;
    const options = toWriteOptions(conditions);
    const written = options && (await this.writer.write(table, toInput(table).item, options));
    if (!written) return undefined;
    const { tableName, created, revision, createdAt, updatedAt } = written;
    const summary = toTableSummary({ ...table, name: tableName, revision });
    const unresolved = written.unresolved.map(({ column, value }) => ({ column, value }));
    return { table, row: { table: summary, item: written.item, revision, createdAt, updatedAt, unresolved }, created };
  }

  /** Writes the row by the engine, which has locked the table when the conditions are checked. */
  private async merge(
    { workspaceId, entity, name, id, columns, definitionId }: CatalogTable,
    { key, item }: RowInput,
    conditions: WriteConditions,
  ): Promise<TableWrite> {
    const inputs = [{ entity, name, id, items: [item] }];
    const options: MergeOptions = {
      toMissingTableError: () => new NotFoundError('The table', undefined, 'Check the name or ID.'),
      // A row may have an unresolved reference per column.
      maxUnresolved: columns.length,
    };
    const steps = async (): Promise<TableWrite> => {
      const locked = await this.engine.lock(await this.engine.prepare(workspaceId, inputs, options));
      const { table, plan } = locked.tables[0]!;
      if (table.definitionId !== definitionId) throw new ColumnsChanged();
      const readable = plan.permitted ?? table;
      const before = await this.rows.find(readable, key);
      requireConditions(before, conditions);
      const report = await this.engine.write(locked);
      const warnings = report.warnings?.errors.map(toWarning);
      const unresolved = report.tables[0]!.unresolved.first.map(({ column, value }) => ({ column, value }));
      const summary = toTableSummary({ ...table, revision: report.revision });
      const after = (await this.rows.find(readable, key))!;
      return { table, row: { table: summary, ...after, unresolved, warnings }, created: !before };
    };
    try {
      return await this.turns.run(workspaceId, inputs, () => this.engine.run({}, steps));
    } catch (error) {
      throw error instanceof InvalidTablesError ? toSingleRowError(error) : error;
    }
  }
}

/** The columns that the body names. */
function findSentColumns({ columns }: CatalogTable, body: Body): Set<CatalogColumn> {
  const finder = new ColumnFinder(columns);
  return new Set(Object.keys(body).flatMap((name) => finder.find(name)));
}

/** The body with null in the other columns that the caller may write. */
function addOmittedColumns(table: CatalogTable, body: Body): Body {
  const sent = findSentColumns(table, body);
  const readOnly = table.permission?.readOnly;
  const omitted = table.columns.filter(
    (column) => !sent.has(column) && !column.primaryKey && !readOnly?.has(column.key),
  );
  return { ...Object.fromEntries(omitted.map(({ key }) => [key, null])), ...body };
}

/** The body with the key of the path. @throws {InvalidTablesError} if the body contains another key. */
function toRowInput(table: Pick<CatalogTable, 'entity' | 'name' | 'columns'>, key: string, body: Body): RowInput {
  const finder = new ColumnFinder(table.columns);
  const primaryKey = getPrimaryKey(table.columns);
  const row: Body = {};
  for (const [name, value] of Object.entries(body)) {
    if (!finder.find(name).includes(primaryKey)) row[name] = value;
    else if (coerceKey(value) !== key) {
      const message = `"${primaryKey.key}" differs from the key "${key}" in the path. To change the key, rename the row.`;
      const error = { key, column: primaryKey.key, code: 'invalid_key', message };
      throw createInvalidRowError([{ type: table.entity, table: table.name, ...error }]);
    }
  }
  return { key, item: { ...row, [primaryKey.key]: key } };
}

/** An invalid row may be valid by the current columns. */
function ignoreDomainError(error: unknown): undefined {
  if (!(error instanceof DomainError)) throw error;
}

function isSame(table: CatalogTable, recent: CatalogTable | undefined): boolean {
  return table.definitionId === recent?.definitionId && table.nameKey === recent.nameKey;
}

/** How RowWriter writes a row under these conditions; undefined if it cannot check them. */
function toWriteOptions({ mustExist, mustBeNew, accepted }: WriteConditions): RowWriteOptions | undefined {
  const revision = toSingleRevision(accepted);
  if (revision === 'several' || (mustBeNew && accepted !== undefined)) return undefined;
  if (mustBeNew) return { write: 'create' };
  return { write: mustExist || accepted !== undefined ? 'update' : 'upsert', accepted: revision };
}

function requireConditions(stored: StoredRow | undefined, { mustExist, mustBeNew, accepted }: WriteConditions): void {
  if (!stored && mustExist) throw new NotFoundError('The row', undefined, 'Check the key.');
  if (stored && mustBeNew)
    throw new PreconditionFailedError('The row already exists, but If-None-Match requires a new one. Nothing changed.');
  requireVersion(stored && { version: stored.revision }, accepted);
}

/** The errors without the position in a batch. */
function toSingleRowError({ details }: InvalidTablesError): InvalidTablesError {
  const errors = (details?.errors ?? []) as TableError[];
  return createInvalidRowError(
    errors.map((error) => ({ ...error, index: undefined })),
    details?.total,
  );
}

function createInvalidRowError(errors: TableError[], total?: number): InvalidTablesError {
  const message = 'The row cannot be stored; nothing was stored. Correct the values in details.errors.';
  return new InvalidTablesError('invalid_rows', message, errors, { total });
}

/** Warnings are about values of the row. */
function toWarning(error: object): ViolatedConstraintDto {
  const { column, code, message } = error as ViolatedConstraintDto;
  return { column, code, message };
}
