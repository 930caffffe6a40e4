import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, openSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { ignoreErrors } from '../../platform/listeners.js';
import { DamagedExportError, FileExistsError } from './transfers.errors.js';

/** A file in an export. */
export interface Member {
  name: string;
  /** In bytes. */
  size: number;
  content: Readable;
}

/** Writes an export, a compressed tar file. It has its name only when it is complete. */
export class ExportFileWriter {
  private readonly pack = tar.pack();
  private readonly draft: string;
  private readonly written: Promise<void>;

  /** @throws {FileExistsError} also another error if the file cannot be created. */
  constructor(private readonly path: string) {
    if (existsSync(path)) throw new FileExistsError(path);
    this.draft = `${path}.${randomUUID()}.partial`;
    const fd = openSync(this.draft, 'wx', 0o600);
    // `flush`: the disk has the content before the file has its name.
    const target = createWriteStream(this.draft, { fd, flush: true });
    this.written = pipeline(this.pack, createGzip(), target);
    // Each member waits for a failure.
    this.written.catch(() => undefined);
  }

  async add(name: string, content: Buffer): Promise<void> {
    // If the file cannot be written, the member fails by an event and by `done`.
    await this.waitFor((done) => ignoreErrors(this.pack.entry({ name }, content, done)));
  }

  /** @param size of the content, in bytes: another one fails. @returns the SHA-256 of the content. */
  async addStream(name: string, size: number, content: Readable): Promise<string> {
    const hash = createHash('sha256');
    const digest = async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await this.waitFor((done) => void pipeline(content, digest, this.pack.entry({ name, size }, done)).catch(done));
    return hash.digest('hex');
  }

  async finish(): Promise<void> {
    this.pack.finalize();
    await this.written;
    await rename(this.draft, this.path);
  }

  async discard(): Promise<void> {
    this.pack.destroy();
    await this.written.catch(() => undefined);
    await rm(this.draft, { force: true });
  }

  /** @throws Error also if the file cannot be written. */
  private async waitFor(add: (done: (error?: Error | null) => void) => void): Promise<void> {
    const added = new Promise<void>((done, fail) => add((error) => (error ? fail(error) : done())));
    await Promise.race([added, this.written]);
  }
}

/**
 * The members of an export, in their order. Each must be read before the next one.
 *
 * @throws {DamagedExportError} if it is not a complete tar file.
 */
export async function* readExportFile(path: string): AsyncGenerator<Member> {
  const extract = tar.extract();
  const feeding = pipeline(createReadStream(path), createGunzip(), extract);
  feeding.catch(() => undefined);
  try {
    for await (const entry of extract) yield { name: entry.header.name, size: entry.header.size!, content: entry };
    await feeding;
  } catch (error) {
    throw toDamaged(error);
  }
}

/** Bytes of a member that is not a file. An export has less, unless a row is longer. */
const MAX_BYTES = 256 * 1024 * 1024;

/** @throws {DamagedExportError} */
export async function readWhole({ name, size, content }: Member): Promise<Buffer> {
  if (size > MAX_BYTES) throw new DamagedExportError(`${name} has more than ${MAX_BYTES} bytes`);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of content) chunks.push(chunk as Buffer);
  } catch (error) {
    throw toDamaged(error);
  }
  return Buffer.concat(chunks);
}

/** The error of a file that cannot be opened remains. */
function toDamaged(error: unknown): unknown {
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  if (isOfSystem || error instanceof DomainError) return error;
  return new DamagedExportError((error as Error).message, error);
}
