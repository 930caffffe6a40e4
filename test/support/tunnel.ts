import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Database } from './database.js';
import { freePort } from './service.js';

/**
 * A TCP proxy to the database that counts statements. It can be closed, so that the database is unavailable to the
 * service, or frozen, so that the database does not respond.
 */
export class Tunnel {
  private readonly sockets = new Set<Socket>();
  /** The number of statements that were sent to the database. */
  statements = 0;
  private isFrozen = false;
  private silenced: string | undefined;

  private constructor(
    readonly port: number,
    private readonly target: NetConnectOpts,
    private server: Server,
    /** URL of the database through the tunnel. */
    readonly url: string,
  ) {}

  static async to(database: Pick<Database, 'url'>): Promise<Tunnel> {
    const [authority, host, databasePort] = /@([^/:]+):(\d+)\//.exec(database.url)!;
    const directory = decodeURIComponent(host!);
    const target = directory.startsWith('/')
      ? { path: join(directory, `.s.PGSQL.${databasePort}`) }
      : { host, port: Number(databasePort) };
    const port = await freePort();
    const address = database.url.replace(authority, `@127.0.0.1:${port}/`);
    const tunnel = new Tunnel(port, target, createServer(), address);
    await tunnel.open();
    return tunnel;
  }

  /** Closes all connections and rejects new ones. */
  async close(): Promise<void> {
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** From now on, no byte passes; new connections are accepted, as by a stopped PostgreSQL. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Passes all bytes that were sent meanwhile. */
  thaw(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** The next connection whose first message contains the text receives no byte. */
  silenceNext(text: string): void {
    this.silenced = text;
  }

  /** Has this connection begun? */
  get hasSilenced(): boolean {
    return this.silenced === undefined;
  }

  async open(): Promise<void> {
    this.server = createServer((near) => {
      const far = connect(this.target);
      const counter = new StatementCounter();
      near.once('data', (chunk: Buffer) => {
        if (this.silenced === undefined || !chunk.includes(this.silenced)) return;
        this.silenced = undefined;
        far.pause();
      });
      near.on('data', (chunk: Buffer) => (this.statements += counter.count(chunk)));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one
          .on('error', () => undefined)
          .once('close', () => {
            this.sockets.delete(one);
            other.destroy();
          });
        one.pipe(other);
        if (this.isFrozen) one.pause();
      }
    });
    await new Promise<void>((done) => this.server.listen(this.port, '127.0.0.1', done));
  }
}

/** Counts the statements in the messages of one connection: simple queries (Q) and executions (E). */
class StatementCounter {
  private rest = Buffer.alloc(0);
  /** The first message of a connection has no type. */
  private typeBytes = 0;

  count(chunk: Buffer): number {
    this.rest = Buffer.concat([this.rest, chunk]);
    let statements = 0;
    while (this.rest.length >= this.typeBytes + 4) {
      const end = this.typeBytes + this.rest.readInt32BE(this.typeBytes);
      if (this.rest.length < end) break;
      if (this.typeBytes > 0 && 'QE'.includes(String.fromCharCode(this.rest[0]!))) statements++;
      this.rest = this.rest.subarray(end);
      this.typeBytes = 1;
    }
    return statements;
  }
}
