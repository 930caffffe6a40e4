import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** The services that suites share, by database and position. An ended service is removed. */
const instances = new Map();

/**
 * Starts a service that suites share, or returns the running one. A service that a suite ended is replaced.
 * `outputStart` is the length of its output before this call. Instances with the same database store their files
 * together: each processes what the others have stored.
 */
export function shareService({ key, files, env }, dataDir) {
  // Suites of several workers may request it at the same time.
  if (!instances.has(key))
    instances.set(key, startService(key, env, join(dataDir, files), join(dataDir, `${key}.log`)));
  const { child, env: ownEnv, outputPath } = instances.get(key);
  return { env: ownEnv, pid: child.pid, outputPath, outputStart: statSync(outputPath).size };
}

/** The operator of a shared service, opened when it is first used. It remains open, because each suite uses it. */
export async function shareOperator({ key }) {
  const instance = instances.get(key);
  const { openOperator } = await import('./operator-calls.mjs');
  return (instance.operator ??= openOperator({ env: instance.env }));
}

function startService(key, settings, dataDir, outputPath) {
  mkdirSync(dataDir, { recursive: true });
  const env = { ...settings, DATA_DIR: dataDir };
  const output = openSync(outputPath, 'w');
  const child = spawn(process.execPath, [MAIN], { cwd: dataDir, env, stdio: ['ignore', output, output] });
  child.once('exit', () => instances.delete(key));
  closeSync(output);
  return { child, env, outputPath };
}

export async function stopServices() {
  const running = [...instances.values()];
  const stopped = running.map(({ child }) => once(child, 'exit'));
  // Suites have ended, so no request waits for its response.
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(stopped);
}
