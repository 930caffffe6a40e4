import { loadConfig } from './platform/config/config.module.js';
import { EnvironmentError } from './platform/config/environment.js';
import { createLogger } from './platform/logging/logging.js';
import { Service } from './service.js';

/** Prints one line per error and exits with code 1. */
function exitWithError(error: unknown): never {
  const lines =
    error instanceof EnvironmentError ? error.errors : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
}

try {
  const config = loadConfig();
  const starting = Service.start(config, createLogger(config));
  // A signal during the start takes effect after it: otherwise a PostgreSQL that was just launched would go on running.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void starting.then((service) => service.stop(signal)).catch(exitWithError));
  }
  await starting;
} catch (error) {
  exitWithError(error);
}
