import type { Config } from './platform/config/config.js';
import { requireDataDirectory } from './platform/config/data-directory.js';

/** The PostgreSQL to connect to. Call `stop` after the application has closed, or if it does not start. */
export interface OpenDatabase {
  url: string;
  stop: () => Promise<void>;
}

/** The server of DATABASE_URL, or else the embedded PostgreSQL under DATA_DIR. Waits until the latter is ready. */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  const waitUntilReady = await launchDatabase(config);
  return waitUntilReady();
}

/**
 * Launches the embedded PostgreSQL if there is no DATABASE_URL; its code is loaded only then.
 *
 * @returns a function that waits until it accepts connections
 */
export async function launchDatabase({ database, dataDir }: Config): Promise<() => Promise<OpenDatabase>> {
  const { url } = database;
  if (url) return () => Promise.resolve({ url, stop: () => Promise.resolve() });
  await requireDataDirectory(dataDir);
  const { EmbeddedPostgres } = await import('./embedded-postgres/embedded-postgres.js');
  const waitUntilReady = await EmbeddedPostgres.launch({ dataDir });
  return async () => {
    const postgres = await waitUntilReady();
    return { url: postgres.url, stop: () => postgres.stop() };
  };
}
