import { loadConfig } from './platform/config/config.module.js';
import { createLogger, nestLogger } from './platform/logging/logging.js';
import { EnvironmentError } from './platform/config/environment.js';
import { Service } from './service.js';

/** One line a fault, and a failing exit: whoever starts the service is told what to change. */
function refuse(error: unknown): never {
  const lines =
    error instanceof EnvironmentError ? error.errors : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  process.exit(1);
}

try {
  const config = loadConfig();
  const logger = createLogger(config);
  const starting = Service.start(config, logger, nestLogger(logger));
  // A signal in the middle of the start waits for its end: PostgreSQL, once launched, must not be left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void starting.then((service) => service.stop(signal)).catch(refuse));
  }
  await starting;
} catch (error) {
  refuse(error);
}
