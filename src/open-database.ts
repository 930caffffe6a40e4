import type { Config } from './platform/config/config.js';
import { requireDataDirectory } from './platform/config/data-directory.js';

/** The PostgreSQL to connect to. Call `stop` after the application has closed, or if it does not start. */
export interface OpenDatabase {
  url: string;
  stop: () => Promise<void>;
}

/**
 * The server of DATABASE_URL, or else the embedded PostgreSQL under DATA_DIR, whose code is loaded only then. Waits
 * until the latter accepts connections.
 */
export async function openDatabase({ database, dataDir }: Config): Promise<OpenDatabase> {
  const { url } = database;
  if (url) return { url, stop: () => Promise.resolve() };
  await requireDataDirectory(dataDir);
  const { EmbeddedPostgres } = await import('./embedded-postgres/embedded-postgres.js');
  const postgres = await EmbeddedPostgres.start({ dataDir });
  return { url: postgres.url, stop: () => postgres.stop() };
}
