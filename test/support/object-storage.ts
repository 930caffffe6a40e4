import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** It has no types. */
const S3rver = createRequire(__filename)('s3rver') as new (options: object) => {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  httpServer: Server;
};

const BUCKET = 'atrium';

/** It keeps an object in a file of this ending, beside two others. */
const OBJECT = '._S3rver_object';

/** An object storage in this process, which can fail and come back with what it has. */
export class ObjectStorage {
  private readonly directory = mkdtempSync(join(tmpdir(), 'atrium-s3-'));
  private server?: InstanceType<typeof S3rver>;
  private port = 0;

  static async start(): Promise<ObjectStorage> {
    const storage = new ObjectStorage();
    await storage.comeBack();
    return storage;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What the service must be told of it. */
  get settings(): Record<string, string> {
    return {
      S3_ENDPOINT: this.endpoint,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
  }

  /** What is in the bucket. */
  keys(): string[] {
    const paths = readdirSync(join(this.directory, BUCKET), { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => path.endsWith(OBJECT)).map((path) => path.slice(0, -OBJECT.length));
  }

  /** Its connections break, and it takes no more. */
  async fail(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = server?.close();
    server?.httpServer.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    this.server = new S3rver({
      port: this.port,
      address: '127.0.0.1',
      silent: true,
      directory: this.directory,
      configureBuckets: [{ name: BUCKET }],
    });
    this.port = (await this.server.run()).port;
  }

  async stop(): Promise<void> {
    await this.fail();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
