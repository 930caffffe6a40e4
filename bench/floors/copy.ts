import { Client, type Connection, type Submittable } from 'pg';
import { PHYSICAL_COLUMNS, type SampleRow } from '../sample-rows.js';

/** The COPY protocol of node-postgres, which is missing in its types. */
interface CopyConnection extends Connection {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** `COPY … FROM STDIN` of prepared bytes, submitted like a query of node-postgres. */
class CopyFrom implements Submittable {
  readonly finished: Promise<void>;
  private finish!: () => void;
  private fail!: (error: Error) => void;

  constructor(
    private readonly sql: string,
    private readonly content: readonly Buffer[],
  ) {
    this.finished = new Promise((done, failed) => {
      this.finish = done;
      this.fail = failed;
    });
  }

  submit(connection: Connection): void {
    (connection as CopyConnection).query(this.sql);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const part of this.content) connection.sendCopyFromChunk(part);
    connection.endCopyFrom();
  }

  handleError(error: Error): void {
    this.fail(error);
  }

  handleReadyForQuery(): void {
    this.finish();
  }

  handleCommandComplete(): void {
    // ReadyForQuery follows.
  }
}

/** The floor for bulk writes: the fastest way to load PostgreSQL, one transaction per batch. It only inserts. */
export class CopyFloor {
  private readonly client: Client;

  constructor(url: string) {
    this.client = new Client({ connectionString: url });
    // An unhandled error event would end the process before PostgreSQL is stopped.
    this.client.on('error', () => undefined);
  }

  async open(): Promise<this> {
    await this.client.connect();
    return this;
  }

  async copy(table: string, ...content: readonly Buffer[]): Promise<void> {
    const sql = `COPY ${table} (${PHYSICAL_COLUMNS.join(', ')}, _revision, _created_at, _updated_at) FROM STDIN`;
    await this.client.query(new CopyFrom(sql, content)).finished;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

/** Rows in COPY's text format. The sample rows contain no characters that need escaping. */
export function copyContent(rows: readonly SampleRow[]): Buffer {
  const tail = `1\t${new Date().toISOString()}\t${new Date().toISOString()}\n`;
  return Buffer.from(rows.map((row) => `${Object.values(row).join('\t')}\t${tail}`).join(''));
}
