import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './service.js';

/** The commit that is upgraded from. */
const COMMIT = process.env['UPGRADE_FROM'] ?? 'HEAD~1';

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Why there is no former version to upgrade from; undefined if there is one. */
export function findObstacle(): string | undefined {
  try {
    git('rev-parse', '--verify', `${COMMIT}^{commit}`);
  } catch {
    return `the repository has no commit ${COMMIT}`;
  }
  // Only until the first release: a database with the former tables could not be upgraded.
  const isEdited = git('diff', '--name-only', '--diff-filter=MDR', COMMIT, '--', 'migrations/[0-9]*.ts') !== '';
  if (isEdited) return `migrations of ${COMMIT} were edited since then`;
  const added = git('diff', '--name-only', '--diff-filter=A', COMMIT, '--', 'migrations/[0-9]*.ts')
    .split('\n')
    .filter(Boolean);
  const stopping = added.find((path) => readFileSync(join(ROOT, path), 'utf8').includes('@incompatible'));
  return stopping && `${stopping} requires that all instances of ${COMMIT} are stopped`;
}

/** The former version of the service, built in a folder of its own. */
export class FormerVersion {
  /** The bundle that its instances run. */
  readonly program: string;

  private constructor(private readonly folder: string) {
    this.program = join(folder, 'dist/service/main.js');
  }

  static build(): FormerVersion {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-former-'));
    const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 1024 ** 3 });
    execFileSync('tar', ['-x'], { cwd: folder, input: archive });
    const hasSamePackages = git('diff', '--name-only', COMMIT, '--', 'package-lock.json') === '';
    const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
    if (hasSamePackages) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else run('npm', 'ci', '--include=dev', '--no-audit', '--no-fund');
    run(process.execPath, 'tools/build-if-changed.mjs', '--bundle=service');
    return new FormerVersion(folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
