import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.js';

const run = promisify(execFile);

/** A copy of the repository with its uncommitted changes, in which tests write files. */
export class RepositoryCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'atrium-copy-'));

  /** @param sharesPackages if false, nothing is installed. */
  constructor(sharesPackages = true) {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
    for (const name of listed.toString().split('\0')) {
      if (name !== '' && existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(this.folder, name));
    }
    if (sharesPackages) symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Runs a command of a shell in the copy. @returns its output. @throws Error with its output. */
  async execute(command: string): Promise<string> {
    const env = { ...process.env, CI: 'true' };
    try {
      return (await run('bash', ['-ec', command], { cwd: this.folder, env, maxBuffer: 1 << 26 })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command}:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
