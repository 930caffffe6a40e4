import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFolder } from '../files/written-paths.js';
import type { Io } from '../io.js';
import { configDirectory } from '../profiles.js';

/** The ID of an interrupted import. It belongs to the content of a file, a table and the options. */
export class ImportState {
  private constructor(
    private readonly path: string,
    readonly importId: string | undefined,
  ) {}

  static async open(
    { path, size, modifiedAt }: { path: string; size: number; modifiedAt: number },
    identity: unknown[],
    isResumed: boolean,
    io: Io,
  ): Promise<ImportState> {
    const text = JSON.stringify([resolve(path), size, modifiedAt, ...identity]);
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const directory = join(configDirectory(io), 'imports');
    await createFolder(directory, io, 0o700);
    const file = join(directory, `${name}.json`);
    const stored = isResumed ? await readFile(file, 'utf8').catch(() => '{}') : '{}';
    return new ImportState(file, (JSON.parse(stored) as { importId?: string }).importId);
  }

  async save(importId: string): Promise<void> {
    const part = `${this.path}.${randomUUID()}.part`;
    await writeFile(part, JSON.stringify({ importId }), { mode: 0o600 });
    await rename(part, this.path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
