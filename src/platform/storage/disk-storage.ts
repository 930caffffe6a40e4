import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../config/config.js';
import { FileStorage, type LocalFile, requireKey, type StoredFile } from './file-storage.js';
import { diskError, isMissing, MissingFileError } from './storage.errors.js';

/** Files under `DATA_DIR/files`, for one instance, or for several that share the folder. */
export class DiskStorage extends FileStorage {
  private readonly root: string;
  /** Drafts lie among the spool's files: what a crash left there goes with them. */
  private readonly drafts: string;

  constructor({ dataDir }: Pick<Config, 'dataDir'>) {
    super();
    this.root = join(dataDir, 'files');
    this.drafts = join(dataDir, 'spool');
  }

  async put(key: string, { path }: Pick<LocalFile, 'path'>): Promise<void> {
    const target = this.pathOf(key);
    try {
      await this.makeFolder(dirname(target));
      await sync(path);
      await moveInto(path, target);
      await sync(dirname(target));
    } catch (error) {
      throw diskError(error);
    }
  }

  async write(key: string, bytes: Buffer): Promise<void> {
    const draft = join(this.drafts, randomUUID());
    try {
      await mkdir(this.drafts, { recursive: true, mode: 0o700 });
      await writeFile(draft, bytes, { mode: 0o600 });
      await this.put(key, { path: draft });
    } catch (error) {
      await rm(draft, { force: true });
      throw diskError(error);
    }
  }

  async findSize(key: string): Promise<number | undefined> {
    const found = await stat(this.pathOf(key)).catch(noneWhereMissing);
    return 'size' in found ? found.size : undefined;
  }

  async open(key: string, range?: { start: number; end: number }): Promise<Readable> {
    try {
      const file = await open(this.pathOf(key), 'r');
      return file.createReadStream(range);
    } catch (error) {
      throw isMissing(error) ? new MissingFileError(key) : error;
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  list(prefix = ''): AsyncIterable<StoredFile> {
    return this.listFolder(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
  }

  private async *listFolder(folder: string, prefix: string): AsyncGenerator<StoredFile> {
    const entries = await opendir(join(this.root, folder)).catch(noneWhereMissing);
    for await (const entry of entries) {
      const key = folder + entry.name;
      if (entry.isDirectory()) {
        if (key.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* this.listFolder(`${key}/`, prefix);
      } else if (key.startsWith(prefix) && !isDraft(entry.name)) {
        const found = await stat(join(this.root, key)).catch(noneWhereMissing);
        if ('size' in found) yield { key, size: found.size, modifiedAt: found.mtime };
      }
    }
  }

  /** A folder is there for good once the one that holds it has been written. */
  private async makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) await sync(dirname(made));
  }

  private pathOf(key: string): string {
    requireKey(key);
    return join(this.root, key);
  }
}

function noneWhereMissing(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}

/** A file or a folder survives a power cut from now on. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** At once, or not at all; where the spool lies on another disk, by a copy beside the target. */
async function moveInto(path: string, target: string): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyInto(path, target);
  }
}

async function copyInto(path: string, target: string): Promise<void> {
  const draft = join(dirname(target), `.${randomUUID()}`);
  try {
    await copyFile(path, draft, constants.COPYFILE_EXCL);
    await sync(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await rm(path, { force: true });
}

function isDraft(name: string): boolean {
  return name.startsWith('.');
}
