import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export default async function globalTeardown() {
  const { postgres, dataDir, server } = globalThis.atriumTestRun;
  try {
    if (server.connected) {
      const stopped = once(server, 'exit');
      server.disconnect();
      await stopped;
    } else {
      process.stderr.write(`\nThe support server ended during the run: ${server.exitCode ?? server.signalCode}\n`);
    }
    await postgres.stop();
    reportCrashes(join(dataDir, 'postgres', 'postgres.log'));
    rmSync(dataDir, { recursive: true, force: true });
  } catch (error) {
    // The verdict is that of the tests.
    process.stderr.write(`\nThe test run was not cleaned up: ${error.stack}\n`);
  }
}

/** Lines of the log after a crash: the signal, then the statement. */
const CRASH_LINES = 20;

/** A crash of PostgreSQL fails whatever runs at that time. Only its log has the reason and the statement. */
function reportCrashes(log) {
  // A cluster has its logs elsewhere.
  if (!existsSync(log)) return;
  const lines = readFileSync(log, 'utf8').split('\n');
  for (const [at, line] of lines.entries())
    if (/was terminated by (?:signal|exception)/.test(line))
      process.stderr.write(`\nPostgreSQL crashed:\n${lines.slice(at, at + CRASH_LINES).join('\n')}\n`);
}
