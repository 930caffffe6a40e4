import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { compileMissing, type KeySelection, type KeySpace } from '../catalog/row-sql.js';
import { encodeArray } from '../catalog/binary-format.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import { COPY_HEADER, COPY_TRAILER, encodeRows } from './copy-rows.js';
import { type FoundRows, NONE_FOUND, type RowResult, RowSource, type UnresolvedReferences } from './row-source.js';
import type { ComparedRows, RelationColumn } from '../catalog/relation.js';
import {
  isNewWithout,
  missingName,
  type Replacement,
  type SelectScope,
  toStagedColumn,
  toStagedRelation,
} from './staging-sql.js';
import {
  createOutsideScopeError,
  type RowError,
  type RowErrorContent,
  type RowPosition,
  type SameKeyRows,
} from './row-errors.js';
import { RowReader, type RowReaderOptions } from './row-reader.js';
import type { MergedState, StagingRepository } from './staging.repository.js';

/**
 * Receives the rows of a block.
 *
 * @param item the parsed row or an `UnreadableRow`.
 * @param line on which the row begins, from 1.
 * @param sent returns the text of the row in the file.
 */
export type TakeRow = (item: unknown, line: number, sent: () => string) => void;

/** Passes the rows of a part of a file, synchronously. */
export type RowBlock = (take: TakeRow) => void;

/** The rows of a file as a table receives them. */
export interface FileRows {
  /** The columns that the rows may send, without the primary key. */
  columns: readonly CatalogColumn[];
  readerOptions: RowReaderOptions;
  blocks: AsyncIterable<RowBlock>;
}

/** Rows of a file that follow each other, by their positions among all rows. */
export interface RowRange {
  first: number;
  last: number;
}

/** The table of a file, which may not exist yet. */
export type FileTable = Pick<CatalogTable, 'entity' | 'name' | 'columns'>;

/** A file of rows for one table. */
export interface RowStream {
  /** Limit of each statement, and of the wait for the lock of the table, in seconds. */
  readonly timeoutS: number;
  /** May be called several times, also for other columns of the table. */
  open(table: FileTable): Promise<FileRows>;
  /** Called after each block and after each rejection. May throw, which ends the merge. */
  reportProgress(received: number, rejected: number): void;
}

/** What a source needs besides the file. */
interface StagingContext {
  staging: StagingRepository;
  maxRowBytes: number;
}

/** Rows of any number: sent by COPY to a temporary staging table, and checked there by SQL. */
export class StagingRowSource extends RowSource {
  received = 0;
  /** One range for each block with rows that are invalid whatever is stored, in order: all these rows are in them. */
  readonly invalidRanges: RowRange[] = [];
  /** Rows that were valid when they were staged. */
  private staged = 0;
  /** Are the staged keys ascending, so that none occurs twice? */
  private isSorted = true;
  private lastKey = '';
  /** How many staged rows sent a column. */
  private readonly sentCounts = new Map<string, number>();

  private constructor(
    private readonly context: StagingContext,
    private readonly tables: TemporaryTables,
    private readonly table: FileTable,
    private readonly stream: RowStream,
    private readonly file: FileRows,
  ) {
    super();
  }

  /**
   * Reads the stream into a staging table of the open transaction.
   *
   * @param number of the staging table in the transaction.
   * @param stored the table as it is; undefined if it does not exist.
   */
  static async stage(
    context: StagingContext,
    number: number,
    table: FileTable & Pick<CatalogTable, 'workspaceId'>,
    stored: CatalogTable | undefined,
    stream: RowStream,
  ): Promise<StagingRowSource> {
    const { staging } = context;
    await staging.begin(stream.timeoutS);
    const file = await stream.open(table);
    const tables = await staging.open(table, number);
    const source = new StagingRowSource(context, tables, table, stream, file);
    await staging.fill(tables, file.columns, source.encode());
    if (!source.isSorted || (stored && !(await staging.isEmpty(stored)))) await staging.analyze(tables);
    return source;
  }

  get columns(): readonly CatalogColumn[] {
    return this.relationColumns.map(({ column }) => column);
  }

  async findDuplicateKeys(): Promise<FoundRows<RowPosition & { others: SameKeyRows }>> {
    const { onDuplicate = 'error' } = this.file.readerOptions;
    if (this.isSorted) return NONE_FOUND;
    if (onDuplicate === 'error') return this.staging.findDuplicateKeys(this.tables);
    this.skipped = await this.staging.skipDuplicates(this.tables, onDuplicate);
    return NONE_FOUND;
  }

  async findNewRowsWithout(
    columns: readonly CatalogColumn[],
    table: CatalogTable | undefined,
  ): Promise<{ column: CatalogColumn; found: FoundRows }[]> {
    const sent = this.relationColumns;
    const found = [];
    for (const column of columns) {
      const staged = sent.find((candidate) => candidate.column.key === column.key);
      if (staged && !staged.sent) continue;
      found.push({ column, found: await this.staging.find(this.tables, isNewWithout(table, staged)) });
    }
    return found;
  }

  findByKeys(keys: readonly string[]): Promise<FoundRows<Required<RowPosition>>> {
    return this.staging.find(this.tables, 's.key = ANY ($1::text[])', [encodeArray('text', keys)]);
  }

  findStoredUnpermitted(table: CatalogTable, permitted: CatalogTable): Promise<FoundRows> {
    const isStored = `EXISTS (SELECT 1 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = s.key)`;
    return this.staging.find(this.tables, `${isStored} AND ${compileMissing([permitted], 's.key')}`);
  }

  findCyclicRows(
    column: CatalogColumn,
    table: CatalogTable | undefined,
  ): Promise<FoundRows<RowPosition & { parent: string }>> {
    const staged = this.relationColumns.find((candidate) => candidate.column.key === column.key)!;
    return this.staging.findCyclic(this.tables, table, staged);
  }

  /** The rows of an empty table are not compared. */
  async *compare(table: CatalogTable, isNew: boolean): AsyncGenerator<ComparedRows> {
    const rows = { columns: this.relationColumns, rows: this.staged, isUnsorted: !this.isSorted };
    const relation = toStagedRelation(this.tables, rows);
    const isEmpty = isNew || (await this.staging.isEmpty(table));
    yield isEmpty ? { missing: relation } : await this.staging.compare(this.tables, table, relation);
  }

  findUnresolved(column: CatalogColumn, targets: KeySpace, limit: number): Promise<UnresolvedReferences> {
    const staged = this.relationColumns.find((candidate) => candidate.column.key === column.key)!;
    return this.staging.findUnresolved(this.tables, staged, targets, limit);
  }

  /** Rows whose key is unknown. */
  unreadable = 0;

  /** Finds the rows of the table that the file lacks. @returns their number, and that of all rows in the scope. */
  async findMissing(table: CatalogTable, replacement: Replacement): Promise<{ deletions: number; rows: number }> {
    return this.staging.findMissing(this.tables, table, replacement);
  }

  /** The keys of the missing rows. */
  get missingKeys(): KeySelection {
    return { isSelected: `IN (SELECT key FROM ${missingName(this.tables)})`, parameters: [] };
  }

  /** The keys of the rows that a merge has left outside of the scope. */
  listOutside(scope: string, limit: number): Promise<string[]> {
    return this.staging.listOutside(this.tables, scope, limit);
  }

  /** Rejects the rows that the merge would leave outside of the scope, until there are none. Nothing is merged. */
  async rejectOutside(table: CatalogTable, selectScope: SelectScope, toError = createOutsideScopeError): Promise<void> {
    for (;;) {
      const outside = await this.staging.findOutside(this.tables, table, this.relationColumns, selectScope);
      if (outside.total === 0) return;
      await this.reject(outside, toError);
    }
  }

  /** The table as a merge would leave it that deletes the rows of the scope which the file lacks. */
  createMerged(table: CatalogTable, scope: string | undefined): Promise<MergedState> {
    return this.staging.createMerged(this.tables, table, this.relationColumns, scope);
  }

  /**
   * A COPY of the differences from the table.
   *
   * @param scope SQL: the keys of the rows that are deleted if the file lacks them.
   */
  copyDifferences(table: CatalogTable, scope: string | undefined): Promise<string> {
    return this.staging.copyDifferences(this.tables, table, this.relationColumns, scope);
  }

  /**
   * The errors of rows that the checks have rejected, in row order. Those that depend on one row only are not included.
   */
  async *readRejections(): AsyncGenerator<RowError[]> {
    for await (const page of this.staging.readRejections(this.tables))
      yield page.map(({ kind, detail, ...position }) => ({ ...position, ...this.rejections[kind]!(position, detail) }));
  }

  /** Has any check rejected rows? */
  get hasRejections(): boolean {
    return this.rejections.length > 0;
  }

  listResults(): RowResult[] {
    throw new Error('Imports have no results per row.');
  }

  override async rejectAll<Position extends RowPosition>(
    checks: readonly { found: FoundRows<Position>; toError: (position: Position) => RowErrorContent }[],
  ): Promise<void> {
    await super.rejectAll(checks);
    this.stream.reportProgress(this.received, this.errors.rows);
  }

  private get staging(): StagingRepository {
    return this.context.staging;
  }

  private get relationColumns(): RelationColumn[] {
    return this.file.columns.flatMap((column, position) => {
      const sent = this.sentCounts.get(column.key) ?? 0;
      return sent === 0 ? [] : [toStagedColumn(column, sent === this.staged ? undefined : position)];
    });
  }

  private async *encode(): AsyncGenerator<Buffer> {
    yield COPY_HEADER;
    for await (const block of this.file.blocks) {
      const bytes = this.encodeBlock(block);
      this.stream.reportProgress(this.received, this.errors.rows);
      if (bytes.length > 0) yield bytes;
    }
    yield COPY_TRAILER;
  }

  private encodeBlock(block: RowBlock): Buffer {
    const reader = new RowReader(this.table.columns, this.context.maxRowBytes, this.file.readerOptions);
    const firstIndex = this.received;
    const lines: number[] = [];
    block((item, line) => {
      lines.push(line);
      reader.add(item, this.received++, line);
    });
    const batch = reader.finish();
    const { errors, rejectedKeys } = reader;
    this.errors.addAll(errors);
    this.unreadable += reader.unreadable;
    if (errors.rows > 0) this.invalidRanges.push({ first: firstIndex, last: this.received - 1 });
    for (const { column, values, complete } of batch.columns) {
      const sent = complete ? batch.keys.length : values.filter((value) => value !== undefined).length;
      this.sentCounts.set(column.key, (this.sentCounts.get(column.key) ?? 0) + sent);
    }
    this.staged += batch.keys.length;
    this.isSorted = this.isSorted && rejectedKeys.size === 0 && this.continuesOrder(batch.keys);
    return encodeRows({ batch, rejectedKeys, getLine: (index) => lines[index - firstIndex]! }, this.file.columns);
  }

  private continuesOrder(keys: readonly string[]): boolean {
    for (const key of keys) {
      if (key <= this.lastKey) return false;
      this.lastKey = key;
    }
    return true;
  }
}
