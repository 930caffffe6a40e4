import type { CatalogColumn } from '../catalog/column-plan.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { RowReader } from './row-batch.js';
import { COPY_HEADER, COPY_TRAILER, encodeRows } from './copy-rows.js';
import { ImportErrors } from './import-errors.js';
import type { LineBlock } from '../imports/line-blocks.js';
import { type RowParser, UnreadableRow } from '../imports/row-parser.js';

/** Turns the rows of a file into bytes for the staging table, and remembers of them what is needed and of bounded size. */
export class StagedRows {
  readonly errors = new ImportErrors();
  /** Rows of the file, good or not. */
  received = 0;
  /** Rows that are good as far as each of them alone can tell. */
  staged = 0;
  /** Does each key come after the one before it, so that none stands in the file twice? */
  isSorted = true;
  private readonly sent = new Map<string, number>();
  private lastKey = '';

  /** @param columns that are staged: the file has no other. */
  constructor(
    private readonly table: CatalogTable,
    readonly columns: readonly CatalogColumn[],
    private readonly maxRowBytes: number,
  ) {}

  /** @param read is told when a part has been read, and may throw. */
  async *encode(blocks: AsyncIterable<LineBlock>, parser: RowParser, read: () => void): AsyncGenerator<Buffer> {
    yield COPY_HEADER;
    for await (const block of blocks) {
      const bytes = this.encodeBlock(block, parser);
      read();
      if (bytes.length > 0) yield bytes;
    }
    parser.end();
    yield COPY_TRAILER;
  }

  /** How often the column was sent by those rows. */
  sentCount({ key }: CatalogColumn): number {
    return this.sent.get(key) ?? 0;
  }

  private encodeBlock(block: LineBlock, parser: RowParser): Buffer {
    const reader = new RowReader(this.table.columns, this.maxRowBytes, false);
    const first = this.received;
    const lines: number[] = [];
    parser.parse(block, (item, line) => {
      lines.push(line);
      const index = this.received++;
      if (item instanceof UnreadableRow) reader.errors.add({ index, code: 'cell_count', message: item.message });
      else reader.add(item, index);
    });
    const batch = reader.finish();
    const lineOf = (index: number) => lines[index - first]!;
    const { errors } = reader;
    this.errors.add({
      total: errors.total,
      rows: errors.rows.size,
      first: errors.first.map((fault) => ({ ...fault, line: lineOf(fault.index) })),
    });
    for (const { column, values, complete } of batch.columns) {
      const sent = complete ? batch.keys.length : values.filter((value) => value !== undefined).length;
      this.sent.set(column.key, this.sentCount(column) + sent);
    }
    this.staged += batch.keys.length;
    this.watchOrder(batch.keys);
    const faulty = [...errors.rows].flatMap(([index, key]) => (key === null ? [] : [{ index, key }]));
    if (faulty.length > 0) this.isSorted = false;
    return encodeRows({ batch, faulty, lineOf }, this.columns);
  }

  private watchOrder(keys: readonly string[]): void {
    if (!this.isSorted) return;
    for (const key of keys) {
      if (key <= this.lastKey) {
        this.isSorted = false;
        return;
      }
      this.lastKey = key;
    }
  }
}
