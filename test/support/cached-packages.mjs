import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Installs npm packages once, in a folder of their own.
 *
 * @param name of the folder.
 * @param packages with their versions.
 * @param file of one of the packages.
 * @returns the path of the file; undefined if the packages could not be downloaded.
 */
export function installPackages(name, packages, file) {
  const folder = resolve('node_modules', '.cache', name);
  const path = resolve(folder, 'node_modules', file);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'];
    spawnSync('npm', ['install', ...options, ...packages], { stdio: 'inherit', timeout: 120_000 });
  }
  return existsSync(path) ? path : undefined;
}

/** @returns the program of a version of Node, by the package that `npx node@VERSION` uses. */
export function installNode(version) {
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const program = `${name}/bin/${platform === 'win32' ? 'node.exe' : 'node'}`;
  return installPackages(`node-${version}`, [`${name}@${version}`], program);
}
