import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { KeySpace } from '../catalog/row-sql.js';
import type { ComparedRows } from '../catalog/relation.js';
import { type RowErrorContent, RowErrors, type RowPosition, type SameKeyRows } from './row-errors.js';

export const ROW_STATUSES = ['created', 'updated', 'unchanged', 'failed'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

/** A reference that names no row. */
export interface UnresolvedReference {
  /** Position among the rows sent, from 0. */
  index: number;
  /** In a file: the line on which the row begins, from 1. */
  line?: number;
  /** Key of the column. */
  column: string;
  value: string;
}

export interface UnresolvedReferences {
  total: number;
  /** The first ones. */
  first: UnresolvedReference[];
}

/** What became of a row. */
export interface RowResult {
  /** Position among the rows sent, from 0. */
  index: number;
  /** Primary key of the row; null if a failed row has none. */
  key: string | null;
  status: RowStatus;
}

/** Rows that a check found. */
export interface FoundRows<Position extends RowPosition = RowPosition> {
  total: number;
  /** At least the first 1,000 in row order. */
  first: readonly Position[];
  /** Stores all of them for a list of all errors. @param kind stored with each. */
  record: (kind: number) => Promise<void>;
  /** Excludes all of them from the merge. @returns how many were valid before. */
  reject: () => Promise<number>;
  /** A row that is not among the first. @param detail that was recorded with it. */
  toPosition?: (position: RowPosition, detail: unknown) => Position;
}

export const NONE_FOUND: FoundRows<never> = {
  total: 0,
  first: [],
  record: () => Promise.resolve(),
  reject: () => Promise.resolve(0),
};

/**
 * The rows of one table in a merge. Each row was already validated without regard to other rows. The checks here
 * compare rows with each other and with the stored ones; they find positions, and the engine decides. Rejected rows
 * take no further part, except that the key of a rejected row still counts as a duplicate.
 */
export abstract class RowSource {
  readonly errors = new RowErrors();

  /** All rows, including rejected ones. */
  abstract readonly received: number;

  /** The error of a rejected row by kind of the rejection. */
  protected readonly rejections: ((position: RowPosition, detail: unknown) => RowErrorContent)[] = [];

  /** Valid rows that are not stored because another row with their key counts, which may be invalid. */
  skipped = 0;

  /** Rows whose key another row has too: all of them, unless the source chooses one. */
  abstract findDuplicateKeys(): Promise<FoundRows<RowPosition & { others: SameKeyRows }>>;

  /**
   * Rows that the table does not have and that do not send a required column, per column.
   *
   * @param table undefined if it is new.
   */
  abstract findNewRowsWithout(
    columns: readonly CatalogColumn[],
    table: CatalogTable | undefined,
  ): Promise<{ column: CatalogColumn; found: FoundRows }[]>;

  /** The valid rows with these keys. */
  abstract findByKeys(keys: readonly string[]): Promise<FoundRows<Required<Omit<RowPosition, 'line'>>>>;

  /**
   * Valid rows whose key a row of the table has that is not among the permitted ones.
   *
   * @param permitted the table with the permitted rows as its relation.
   */
  abstract findStoredUnpermitted(table: CatalogTable, permitted: CatalogTable): Promise<FoundRows>;

  /** The columns that at least one row sent, without the primary key. */
  abstract get columns(): readonly CatalogColumn[];

  /**
   * Rows on a cycle of parents in the column, together with the stored rows that the source does not change.
   *
   * @param table undefined if it does not have the column yet.
   * @param deleted keys of stored rows that the merge deletes.
   */
  abstract findCyclicRows(
    column: CatalogColumn,
    table: CatalogTable | undefined,
    deleted?: readonly string[],
  ): Promise<FoundRows<RowPosition & { parent: string }>>;

  /**
   * Compares the rows with those of the table, in chunks: each when the chunk before it is written.
   *
   * @param table which is locked.
   * @param isNew the merge created the table.
   */
  abstract compare(table: CatalogTable, isNew: boolean): AsyncIterable<ComparedRows>;

  /**
   * References in the column to rows that none of the targets has, in row order, after the merge.
   *
   * @param limit of the list.
   */
  abstract findUnresolved(column: CatalogColumn, targets: KeySpace, limit: number): Promise<UnresolvedReferences>;

  /** The result per row, in request order. @param written created and updated keys. */
  abstract listResults(written: ReadonlyMap<string, RowStatus>): RowResult[];

  /** Rejects the rows that a check found, and adds an error for each. */
  reject<Position extends RowPosition>(
    found: FoundRows<Position>,
    toError: (position: Position) => RowErrorContent,
  ): Promise<void> {
    return this.rejectAll([{ found, toError }]);
  }

  /** Rejects the rows of several checks, which may have found the same row. */
  async rejectAll<Position extends RowPosition>(
    checks: readonly { found: FoundRows<Position>; toError: (position: Position) => RowErrorContent }[],
  ): Promise<void> {
    const failed = checks.filter(({ found }) => found.total > 0);
    // A check finds only rows that are not rejected yet, so all are recorded before the first is rejected.
    for (const { found, toError } of failed) {
      const kind = this.rejections.push((position, detail) =>
        toError(found.toPosition?.(position, detail) ?? (position as Position)),
      );
      await found.record(kind - 1);
    }
    for (const { found, toError } of failed) {
      const rows = await found.reject();
      const errors = found.first.map((position) => ({ ...toPosition(position), ...toError(position) }));
      this.errors.addKind(errors, found.total, rows);
    }
  }
}

function toPosition({ index, line, key }: RowPosition): RowPosition {
  return { index, ...(line === undefined ? {} : { line }), ...(key === undefined ? {} : { key }) };
}
