import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** The starts of the services that suites share, by database and position. An ended service is removed. */
const instances = new Map();

/**
 * Starts a service that suites share, or returns the running one. A service that a suite ended is replaced.
 * `outputStart` is the length of its output before this call. Instances with the same database store their files
 * together: each processes what the others have stored.
 */
export async function shareService({ key, files, env }, dataDir) {
  // Suites of several workers may request it at the same time.
  if (!instances.has(key))
    instances.set(key, startService(key, env, join(dataDir, files), join(dataDir, `${key}.log`)));
  const { child, ...instance } = await instances.get(key);
  return { ...instance, pid: child.pid, outputStart: statSync(instance.outputPath).size };
}

async function startService(key, settings, dataDir, outputPath) {
  mkdirSync(dataDir, { recursive: true });
  const env = { ...settings, DATA_DIR: dataDir };
  const output = openSync(outputPath, 'w');
  const child = spawn(process.execPath, [MAIN], { cwd: dataDir, env, stdio: ['ignore', output, output] });
  child.once('exit', () => instances.delete(key));
  closeSync(output);
  // The operator CLI is loaded while the service starts. Operators remain open, because each suite uses them.
  const { openOperator } = await import('./operator-calls.mjs');
  return { child, env, outputPath, operator: await openOperator({ env }) };
}

export async function stopServices() {
  const running = await Promise.all(instances.values());
  const stopped = running.map(({ child }) => once(child, 'exit'));
  // Suites have ended, so no request waits for its response.
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(stopped);
}
