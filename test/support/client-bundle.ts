import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './service.js';

const run = promisify(execFile);

/**
 * The client as a bundler of an integrator would include it in a page.
 *
 * @param args of the command line of rolldown.
 * @throws Error if an import cannot be resolved, as those of modules of Node.
 */
export async function bundleClient(...args: string[]): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-client-'));
  try {
    const file = join(dir, 'client.js');
    const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
    const source = join(ROOT, 'clients/typescript/src/client.ts');
    const all = [rolldown, source, '--platform=browser', `--file=${file}`, ...args];
    const { stdout, stderr } = await run(process.execPath, all, { cwd: ROOT });
    if (/UNRESOLVED_IMPORT/.test(stdout + stderr)) throw new Error(stdout + stderr);
    return await readFile(file);
  } finally {
    await rm(dir, { recursive: true });
  }
}
