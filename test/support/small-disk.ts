import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { TestDatabase } from './database.js';

const MIB = 1024 * 1024;

/** A file system of a fixed size for a tablespace of the PostgreSQL of the test run. Only root can mount it. */
export class SmallDisk {
  private constructor(private readonly path: string) {}

  /** @returns undefined if this process may not mount file systems */
  static mount(mebibytes: number): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), 'atrium-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', path], { stdio: 'ignore' });
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return undefined;
    }
  }

  /** A migrated database whose tables are on this disk. The write-ahead log is on that of the server. */
  async createDatabase(): Promise<TestDatabase> {
    const location = join(this.path, 'tablespace');
    mkdirSync(location);
    // The tablespace must belong to the user who runs PostgreSQL.
    const { uid, gid } = statSync(await TestDatabase.dataDirectory());
    chownSync(location, uid, gid);
    return TestDatabase.createIn(location);
  }

  /** A folder for the service. */
  createFolder(): string {
    const folder = join(this.path, 'data');
    mkdirSync(folder);
    return folder;
  }

  /** Writes a file until there is no space left. */
  fill(): void {
    const part = Buffer.alloc(MIB / 8);
    try {
      for (;;) appendFileSync(this.filler, part);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    truncateSync(this.filler);
  }

  unmount(): void {
    execFileSync('umount', [this.path]);
    rmSync(this.path, { recursive: true });
  }

  private get filler(): string {
    return join(this.path, 'filler');
  }
}
