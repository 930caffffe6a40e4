import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package has no types. */
const S3rver = createRequire(__filename)('s3rver') as new (options: object) => {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  httpServer: Server;
};

const BUCKET = 'atrium';

/** s3rver stores an object in a file with this suffix, next to two other files. */
const OBJECT = '._S3rver_object';

/** An object storage in this process that can fail and recover with its objects. */
export class ObjectStorage {
  private readonly directory = mkdtempSync(join(tmpdir(), 'atrium-s3-'));
  private server?: InstanceType<typeof S3rver>;
  private port = 0;
  /** Requests such as `PUT /atrium/key` that fail with 503. */
  rejects?: RegExp;
  rejected = 0;

  static async start(): Promise<ObjectStorage> {
    const storage = new ObjectStorage();
    await storage.recover();
    return storage;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Settings of a service that uses this storage. */
  get settings(): Record<string, string> {
    return {
      S3_ENDPOINT: this.endpoint,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
  }

  /** Keys of the objects in the bucket. */
  keys(): string[] {
    const paths = readdirSync(join(this.directory, BUCKET), { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => path.endsWith(OBJECT)).map((path) => path.slice(0, -OBJECT.length));
  }

  /** Closes all connections and accepts no new ones. */
  async fail(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = server?.close();
    server?.httpServer.closeAllConnections();
    await closed;
  }

  async recover(): Promise<void> {
    this.server = new S3rver({
      port: this.port,
      address: '127.0.0.1',
      silent: true,
      directory: this.directory,
      configureBuckets: [{ name: BUCKET }],
    });
    this.port = (await this.server.run()).port;
    this.rejectRequests(this.server.httpServer);
  }

  private rejectRequests(server: Server): void {
    const [serve] = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request').on('request', (request, response) => {
      if (!this.rejects?.test(`${request.method} ${request.url}`)) return serve!(request, response);
      this.rejected++;
      request.resume();
      response.writeHead(503).end();
    });
  }

  async stop(): Promise<void> {
    await this.fail();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
