import { once } from 'node:events';
import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { postgres, dataDir, server } = globalThis.atriumTestRun;
  const stopped = once(server, 'exit');
  server.disconnect();
  await stopped;
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
