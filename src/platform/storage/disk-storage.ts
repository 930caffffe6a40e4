import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import type { Config } from '../config/config.js';
import { FileStorage, type LocalFile, requireKey, type StoredFile } from './file-storage.js';
import { diskError, isMissing, MissingFileError } from './storage.errors.js';

/** Stores files in `DATA_DIR/files`, for one instance or for several that share the directory. */
export class DiskStorage extends FileStorage {
  private readonly root: string;
  /** Unfinished files are temporary files: after a crash the same cleanup removes them. */
  private readonly drafts: string;

  constructor({ dataDir }: Pick<Config, 'dataDir'>) {
    super();
    this.root = join(dataDir, 'files');
    this.drafts = join(dataDir, 'temporary');
  }

  async put(key: string, { path }: Pick<LocalFile, 'path'>): Promise<void> {
    const target = this.toPath(key);
    try {
      await createSyncedDirectory(dirname(target));
      await sync(path);
      await moveFile(path, target);
      await sync(dirname(target));
    } catch (error) {
      throw diskError(error);
    }
  }

  async write(key: string, bytes: Buffer): Promise<void> {
    const draft = join(this.drafts, randomUUID());
    try {
      await createDirectory(this.drafts, 0o700);
      await writeFile(draft, bytes, { mode: 0o600 });
      await this.put(key, { path: draft });
    } catch (error) {
      await rm(draft, { force: true });
      throw diskError(error);
    }
  }

  async findSize(key: string): Promise<number | undefined> {
    const found = await stat(this.toPath(key)).catch(emptyIfMissing);
    return 'size' in found ? found.size : undefined;
  }

  protected async openStream(key: string, range?: { start: number; end: number }): Promise<Readable> {
    try {
      const file = await open(this.toPath(key), 'r');
      return file.createReadStream(range);
    } catch (error) {
      throw isMissing(error) ? new MissingFileError(key) : error;
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.toPath(key), { force: true });
  }

  list(prefix = ''): AsyncIterable<StoredFile> {
    return this.listDirectory(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
  }

  private async *listDirectory(directory: string, prefix: string): AsyncGenerator<StoredFile> {
    const entries = await opendir(join(this.root, directory)).catch(emptyIfMissing);
    for await (const entry of entries) {
      const key = directory + entry.name;
      if (entry.isDirectory()) {
        if (key.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* this.listDirectory(`${key}/`, prefix);
      } else if (key.startsWith(prefix) && !isDraft(entry.name)) {
        const found = await stat(join(this.root, key)).catch(emptyIfMissing);
        if ('size' in found) yield { key, size: found.size, modifiedAt: found.mtime };
      }
    }
  }

  private toPath(key: string): string {
    requireKey(key);
    return join(this.root, key);
  }
}

function emptyIfMissing(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}

/** A new directory survives a power failure once its parent is synced. */
async function createSyncedDirectory(directory: string): Promise<void> {
  const first = await createDirectory(directory, 0o700);
  if (first === undefined) return;
  for (let created = directory; created.length >= first.length; created = dirname(created))
    await sync(dirname(created));
}

/** After this the file or directory survives a power failure. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves atomically; from another file system by a copy in the target's directory. */
async function moveFile(path: string, target: string): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFromOtherDisk(path, target);
  }
}

async function copyFromOtherDisk(path: string, target: string): Promise<void> {
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
