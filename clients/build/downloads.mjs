/**
 * Writes what an instance offers at `/downloads` to `dist/downloads`: the package of the client, which contains the
 * packages that it needs, and the command line in one file. Both are installed without a registry
 * (docs/adr/0189-serve-the-client-and-the-command-line.md).
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { writeDeclarations } from './clients.mjs';
import { rejectUnresolved } from './reject-unresolved.mjs';

const OUTPUT = join('dist', 'downloads');
const CLIENT = join('clients', 'typescript');
const CLI_ENTRY = join('clients', 'cli', 'src', 'standalone.ts');

export async function buildDownloads() {
  await mkdir(OUTPUT, { recursive: true });
  await Promise.all([packClient(), bundleCommandLine()]);
}

async function packClient() {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-package-'));
  try {
    const description = await readJson(join(CLIENT, 'package.json'));
    const bundleDependencies = Object.keys(description.dependencies);
    const packed = { ...description, bundleDependencies, scripts: undefined, devDependencies: undefined };
    await writeFile(join(folder, 'package.json'), JSON.stringify(packed, null, 2));
    await cp(join(CLIENT, 'README.md'), join(folder, 'README.md'));
    await cp(join(CLIENT, 'dist'), join(folder, 'dist'), { recursive: true, filter: (path) => !/types$/.test(path) });
    await writeDeclarations(join(folder, 'dist', 'types'));
    for (const name of await listPackages(bundleDependencies))
      await cp(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
    await rename(await pack(folder), join(OUTPUT, 'atrium-client.tgz'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The packages and those that they need, without those in the folder of the package that needs them. */
async function listPackages(names, found = new Set()) {
  for (const name of names.filter((each) => !found.has(each) && existsSync(join('node_modules', each)))) {
    found.add(name);
    const { dependencies = {} } = await readJson(join('node_modules', name, 'package.json'));
    await listPackages(Object.keys(dependencies), found);
  }
  return found;
}

/** @returns the path of the package, in the folder of the downloads */
async function pack(folder) {
  // Set if npm has started the build. On Windows, npm is not a program that can be executed.
  const { npm_execpath: npm } = process.env;
  const args = ['pack', '--ignore-scripts', '--json', `--pack-destination=${OUTPUT}`, folder];
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { stdout } = await promisify(execFile)(command, [...first, ...args]);
  return join(OUTPUT, basename(JSON.parse(stdout)[0].filename.replace('@', '').replace('/', '-')));
}

async function bundleCommandLine() {
  const build = await rolldown({
    input: CLI_ENTRY,
    platform: 'node',
    transform: { target: 'node20' },
    // The main module of the package reads the program of jq from a file next to it.
    resolve: { alias: { 'jq-wasm': 'jq-wasm/inline' } },
    checks: { ineffectiveDynamicImport: false },
    onLog: rejectUnresolved,
  });
  const options = { format: 'esm', codeSplitting: false, minify: true, banner: '#!/usr/bin/env node' };
  await build.write({ ...options, file: join(OUTPUT, 'atrium.mjs') });
  await build.close();
}

async function readJson(path) {
  return JSON.parse(await readFile(path, 'utf8'));
}
