import { AsyncLocalStorage } from 'node:async_hooks';
import { openDatabase } from '../open-database.js';
import { keepCompiledCode } from '../platform/config/compile-cache.js';
import { loadConfig } from '../platform/config/load-config.js';
import { listenOnce } from '../platform/listeners.js';
import type { Services } from './operator-application.js';

/** The services of a process that runs several commands: they share one application. */
export const openedServices = new AsyncLocalStorage<Services | undefined>();

/** Runs the work with the services of the modules. Stops an embedded PostgreSQL that no other process uses. */
export async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  const opened = openedServices.getStore();
  if (opened) return work(opened);
  // A command prints its result; of the log only warnings and errors matter.
  const config = await loadConfig({ defaults: { LOG_LEVEL: 'warn' }, requiresDatabase: true });
  // The first Ctrl-C lets the command finish, which takes a moment; the second ends the process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) listenOnce(process, signal, () => undefined);
  keepCompiledCode(config.dataDir);
  const { withApplication } = await import('./operator-application.js');
  const database = await openDatabase(config);
  try {
    await withApplication(config, database.url, work);
  } finally {
    await database.stop();
  }
}
