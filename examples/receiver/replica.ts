import { type AtriumClient, AtriumError, type Row, type TableClient } from '@atrium/client';

/** What the replica reads of a `table.rows_changed` or `table.*` event. */
export interface TableEvent {
  type: string;
  data: { table?: { id: string }; toRevision?: number };
}

/** A replica of one table in memory: rows by their key. Replace the map by your database. */
export class Replica {
  readonly rows = new Map<string, Row>();
  /** The replica contains all changes up to this revision of the table, and perhaps later ones. */
  revision = 0;
  private readonly table: TableClient;
  private tableId = '';
  private last: Promise<void> = Promise.resolve();

  constructor(client: AtriumClient, table: Pick<TableClient, 'entity' | 'name'>) {
    this.table = client.table(table.entity, table.name);
  }

  /** Reads the whole table. Call it after the subscription was created, so that later changes arrive as events. */
  load(): Promise<void> {
    return this.enqueue(() => this.readTable());
  }

  /**
   * Processes an event. Events arrive in any order and more than once, so an event says only that the table has reached
   * a revision; the rows are read from the change feed. When this returns, the replica contains the changes of the
   * event.
   */
  process({ type, data }: TableEvent): Promise<void> {
    return this.enqueue(async () => {
      if (data.table?.id !== this.tableId) return;
      if (type === 'table.rows_changed' && data.toRevision! > this.revision) await this.applyChanges();
      if (type === 'table.deleted') this.rows.clear();
    });
  }

  /** One task after the other, so that an older page never overwrites a newer one. */
  private enqueue(task: () => Promise<void>): Promise<void> {
    this.last = this.last.catch(() => undefined).then(task);
    return this.last;
  }

  /**
   * The revision is read before the rows: a change that the export contains already is applied twice, which has no
   * effect, and none is missed.
   */
  private async readTable(): Promise<void> {
    const { id, revision, columns } = await this.table.describe();
    const keyColumn = columns.find(({ primaryKey }) => primaryKey)!.key;
    this.rows.clear();
    for await (const row of this.table.snapshot()) this.rows.set(String(row[keyColumn]), row);
    this.tableId = id;
    this.revision = revision;
    await this.applyChanges();
  }

  private async applyChanges(): Promise<void> {
    let reached = this.revision;
    const onRevision = (revision: number): void => void (reached = revision);
    try {
      for await (const { key, deleted, item } of this.table.changes({ since: this.revision, onRevision })) {
        if (deleted) this.rows.delete(key);
        else this.rows.set(key, item!);
      }
    } catch (error) {
      // The feed no longer contains the changes after this revision.
      if (error instanceof AtriumError && error.code === 'revision_gone') return this.readTable();
      throw error;
    }
    this.revision = reached;
  }
}
