import { Injectable } from '@nestjs/common';
import { ColumnFinder } from '../../../../packages/tabular/src/column-finder.js';
import {
  type AcceptedVersions,
  PreconditionFailedError,
  requireVersion,
} from '../../../platform/http/conditional-requests.js';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { mayBeUnresolved } from '../../../../packages/tables/src/catalog/column-types.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import type { ViolatedConstraintDto } from '../catalog/dto/violation.dto.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import type { TableRef } from '../../../../packages/tables/src/catalog/table-ref.js';
import { ColumnsBusyError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import type { DeletedItemDto, WrittenItemDto } from './dto/row.dto.js';
import { toNewKey, toRowKey } from './row-key.js';
import { type ChangedRow, createInvalidRowError, type RowRequest, RowRequests, TableReplaced } from './row-requests.js';
import { ReferenceLookup } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { RowsRepository, type StoredRow } from '../../../../packages/tables/src/catalog/rows.repository.js';

type Body = Record<string, unknown>;

/** Conditions of a write. */
interface WriteConditions {
  /** Revisions of the row that `If-Match` accepts. */
  accepted: AcceptedVersions;
  /** Sent as `If-None-Match: *`. */
  mustBeNew?: boolean;
  /** PATCH and DELETE only. */
  mustExist?: boolean;
}

export interface WrittenRow {
  row: WrittenItemDto;
  created: boolean;
}

/** How often a write is repeated if its table is replaced each time before it is locked. */
const MAX_ATTEMPTS = 5;

/** Writes and deletes single rows, by the rules of bulk. */
@Injectable()
export class WriteRowService {
  constructor(
    private readonly requests: RowRequests,
    private readonly rows: RowsRepository,
    private readonly catalog: CatalogRepository,
    private readonly references: ReferenceLookup,
  ) {}

  /**
   * Creates or replaces the row: omitted values become empty.
   *
   * @throws {InvalidTablesError | PreconditionFailedError | NotFoundError}
   */
  async put(ref: TableRef, sentKey: string, body: Body, conditions: WriteConditions): Promise<WrittenRow> {
    const changed = await this.execute(ref, conditions, (known) => {
      const key = toNewKey(known, sentKey);
      return { key, toItem: (table) => toItem(table, key, addOmittedColumns(table, body)) };
    });
    return { row: toWrittenItem(changed), created: changed.isNew };
  }

  /** Changes the values that are sent. @throws {InvalidTablesError | PreconditionFailedError | NotFoundError} */
  async patch(ref: TableRef, sentKey: string, body: Body, accepted: AcceptedVersions): Promise<WrittenItemDto> {
    const changed = await this.execute(ref, { accepted, mustExist: true }, () => {
      const key = toRowKey(sentKey);
      return { key, toItem: (table) => toItem(table, key, body) };
    });
    const row = toWrittenItem(changed);
    return { ...row, unresolved: await this.findAllUnresolved(changed.table, row, body) };
  }

  /** Deletes the row and leaves a tombstone. @throws {PreconditionFailedError | NotFoundError} */
  async delete(ref: TableRef, sentKey: string, accepted: AcceptedVersions): Promise<DeletedItemDto> {
    const toRequest = () => ({ key: toRowKey(sentKey), toItem: () => undefined });
    const { table } = await this.execute(ref, { accepted, mustExist: true }, toRequest);
    return { table: toTableSummary(table), key: toRowKey(sentKey) };
  }

  /** The unresolved references of the row in the columns that were sent, which are known, and in the others. */
  private async findAllUnresolved(
    table: CatalogTable,
    row: WrittenItemDto,
    body: Body,
  ): Promise<WrittenItemDto['unresolved']> {
    const sent = findSentColumns(table, body);
    const unresolved = new Map(row.unresolved.map((reference) => [reference.column, reference]));
    for (const column of table.columns.filter(mayBeUnresolved)) {
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

  /** @param toRequest for the table as it is before it is locked. */
  private async execute(
    ref: TableRef,
    conditions: WriteConditions,
    toRequest: (known: CatalogTable) => Pick<RowRequest, 'key' | 'toItem'>,
  ): Promise<ChangedRow> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const known = await this.catalog.get(ref);
      try {
        const requireConditions = (stored: Pick<StoredRow, 'revision'> | undefined) => requireMet(conditions, stored);
        return await this.requests.execute(ref.view, known, { ...toRequest(known), requireConditions });
      } catch (error) {
        if (!(error instanceof TableReplaced)) throw error;
      }
    }
    throw new ColumnsBusyError();
  }
}

function toWrittenItem({ table, row, unresolved, warnings }: ChangedRow): WrittenItemDto {
  return {
    table: toTableSummary(table),
    ...row!,
    unresolved: unresolved.map(({ column, value }) => ({ column, value })),
    warnings: warnings.length > 0 ? warnings.map(toWarning) : undefined,
  };
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
function toItem(table: CatalogTable, key: string, body: Body): Body {
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
  return { ...row, [primaryKey.key]: key };
}

function requireMet(
  { mustExist, mustBeNew, accepted }: WriteConditions,
  stored: Pick<StoredRow, 'revision'> | undefined,
): void {
  if (!stored && mustExist) throw new NotFoundError('The row', undefined, 'Check the key.');
  if (stored && mustBeNew)
    throw new PreconditionFailedError('The row already exists, but If-None-Match requires a new one. Nothing changed.');
  requireVersion(stored && { version: stored.revision }, accepted);
}

/** Warnings are about values of the row. */
function toWarning(error: object): ViolatedConstraintDto {
  const { column, code, message } = error as ViolatedConstraintDto;
  return { column, code, message };
}
