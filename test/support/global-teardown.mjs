import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { postgres, dataDir, operator } = globalThis.atriumTestRun;
  operator.disconnect();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
