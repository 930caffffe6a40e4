import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { findLastRelease, git } from './release.js';
import { ROOT } from './service.js';

const RELEASE = findLastRelease();

/** The commit that is upgraded from: the last release, and the previous commit before the first release. */
export const COMMIT = process.env['UPGRADE_FROM'] ?? RELEASE ?? 'HEAD~1';

/** Why there is no former version to upgrade from; undefined if there is one. */
export function findObstacle(): string | undefined {
  try {
    git('rev-parse', '--verify', `${COMMIT}^{commit}`);
  } catch {
    return `the repository has no commit ${COMMIT}`;
  }
  // Only until the first release: a database with the former tables could not be upgraded. Later, a test fails.
  const isEdited = git('diff', '--name-only', '--diff-filter=MDR', COMMIT, '--', 'migrations/[0-9]*.ts') !== '';
  if (isEdited && !RELEASE) return `migrations of ${COMMIT} were edited since then`;
  const added = git('diff', '--name-only', '--diff-filter=A', COMMIT, '--', 'migrations/[0-9]*.ts')
    .split('\n')
    .filter(Boolean);
  const stopping = added.find((path) => readFileSync(join(ROOT, path), 'utf8').includes('@incompatible'));
  return stopping && `${stopping} requires that all instances of ${COMMIT} are stopped`;
}

/** The packages of a lockfile, without the version of this repository. */
function listPackages(lockfile: string): object[] {
  const { packages } = JSON.parse(lockfile) as { packages: Record<string, object> };
  return Object.entries(packages).filter(([path]) => path.startsWith('node_modules/'));
}

/** The former version of the service, built in a folder of its own. */
export class FormerVersion {
  readonly program: string;

  private constructor(private readonly folder: string) {
    this.program = join(folder, 'dist/src/main.js');
  }

  static build(): FormerVersion {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-former-'));
    const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 1024 ** 3 });
    execFileSync('tar', ['-x'], { cwd: folder, input: archive });
    const hasSamePackages = isDeepStrictEqual(
      listPackages(git('show', `${COMMIT}:package-lock.json`)),
      listPackages(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
    );
    const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
    if (hasSamePackages) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else run('npm', 'ci', '--include=dev', '--no-audit', '--no-fund');
    run('npm', 'run', '-s', 'build');
    return new FormerVersion(folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
