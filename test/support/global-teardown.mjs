import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { postgres, dataDir, desk } = globalThis.atriumTestRun;
  desk.disconnect();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
