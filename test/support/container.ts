import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.js';

const run = promisify(execFile);
const OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * What Node, npm and a shell need. The base of the image consists of the files of these packages of this machine; those
 * of another release of Debian are absent.
 */
const PACKAGES = [
  ...['libc6', 'libstdc++6', 'libgcc-s1', 'dash', 'coreutils', 'libacl1', 'libattr1', 'libselinux1', 'libpcre2-8-0'],
  ...['libgmp10', 'libssl3', 'libssl3t64', 'libsystemd0', 'libcap2', 'zlib1g', 'ca-certificates'],
];

/** Why images cannot be built here; undefined if they can. */
export const NO_CONTAINERS = findObstacle();

function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'buildah needs root here';
  for (const [program, argument] of [
    ['buildah', '--version'],
    ['dpkg', '--version'],
  ] as const) {
    try {
      execFileSync(program, [argument], { stdio: 'ignore' });
    } catch {
      return `${program} is not installed`;
    }
  }
  return undefined;
}

export interface ImageConfig {
  User: string;
  Cmd: string[];
  Env: string[];
  Volumes: Record<string, unknown>;
  Healthcheck: { Test: string[] };
}

/**
 * Builds the Dockerfile with buildah, without a registry of images and without a daemon. Everything is in one folder.
 */
export class Image {
  private readonly folder = mkdtempSync(join(tmpdir(), 'atrium-image-'));

  async build(): Promise<void> {
    await this.makeBase();
    const { stdout: cache } = await run('npm', ['config', 'get', 'cache']);
    await this.buildah(
      ...['bud', '--isolation', 'chroot', '--network', 'host', '--format', 'docker'],
      ...['--build-arg', 'BASE=localhost/base', '--volume', `${cache.trim()}:/root/.npm`, '--tag', 'atrium', ROOT],
    );
  }

  async config(): Promise<ImageConfig> {
    const { Docker } = JSON.parse(await this.buildah('inspect', '--type', 'image', 'atrium')) as {
      Docker: { config: ImageConfig };
    };
    return Docker.config;
  }

  /** @returns the name of a new container. */
  async createContainer(): Promise<string> {
    return (await this.buildah('from', '--pull-never', 'atrium')).trim();
  }

  /** The folder with the files of a container. */
  async mount(container: string): Promise<string> {
    return (await this.buildah('mount', container)).trim();
  }

  /** Runs a command in the container, with the user and the environment of the image. */
  start(container: string, command: readonly string[], env: Record<string, string>): ChildProcess {
    const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const options = ['--isolation', 'chroot', '--network', 'host', ...settings];
    return spawn('buildah', [...this.storage, 'run', ...options, container, '--', ...command]);
  }

  remove(): void {
    try {
      execFileSync('buildah', [...this.storage, 'rm', '--all'], { stdio: 'ignore' });
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  /** The base has the Node and the npm of this machine: Debian has no package of Node 20. */
  private async makeBase(): Promise<void> {
    const root = join(this.folder, 'root');
    for (const folder of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64', 'tmp', 'proc', 'dev', 'sys', 'etc', 'root'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
    const list = join(this.folder, 'files');
    const listing = run('dpkg', ['-L', ...PACKAGES], { maxBuffer: OUTPUT_BYTES });
    const { stdout } = await listing.catch((error: unknown) => error as { stdout: string });
    const isFile = (path: string) => path.startsWith('/') && existsSync(path) && !isFolder(path);
    writeFileSync(list, [...new Set(stdout.split('\n').filter(isFile))].join('\n'));
    const archive = join(this.folder, 'files.tar');
    await run('tar', ['-cPf', archive, `--files-from=${list}`]);
    await run('tar', ['-xf', archive, '-C', root, '--keep-directory-symlink']);

    cpSync(process.execPath, join(root, 'usr/bin/node'));
    const npm = (await run('npm', ['root', '--global'])).stdout.trim();
    cpSync(join(npm, 'npm'), join(root, 'usr/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
    for (const path of ['/etc/ssl/certs/ca-certificates.crt', '/usr/etc/npmrc']) {
      if (!existsSync(path)) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      cpSync(path, join(root, path), { dereference: true });
    }
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');

    const base = (await this.buildah('from', 'scratch')).trim();
    await this.buildah('add', '--quiet', base, root, '/');
    await this.buildah('commit', '--quiet', '--rm', base, 'localhost/base');
    rmSync(root, { recursive: true });
  }

  private get storage(): string[] {
    return ['--storage-driver', 'vfs', '--root', join(this.folder, 'storage'), '--runroot', join(this.folder, 'run')];
  }

  private async buildah(...args: string[]): Promise<string> {
    return (await run('buildah', [...this.storage, ...args], { maxBuffer: OUTPUT_BYTES })).stdout;
  }
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The process whose environment contains the text; undefined if there is none. */
export function findProcess(program: string, setting: string): number | undefined {
  const matches = (pid: string) => {
    try {
      const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return args.includes(program) && environment.includes(setting);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(matches)
    .map(Number)[0];
}
