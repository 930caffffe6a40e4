import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../platform/config/config.module.js';
import { createLogger, nestLogger } from '../platform/logging/logging.js';
import { OperatorModule } from './operator.module.js';

/** Where a command finds the modules' services. */
export type Services = Pick<INestApplicationContext, 'get'>;

/** Does the work among the services, and leaves the database as a process that stops does. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  // Only what goes wrong is worth a line beside the answer.
  const config = loadConfig({ LOG_LEVEL: 'warn' });
  const app = await NestFactory.createApplicationContext(OperatorModule.with(config), {
    logger: withoutBootFailure(nestLogger(createLogger(config))),
    abortOnError: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** Nest logs the error that it throws when it cannot start; it is told once, at the end. */
function withoutBootFailure(logger: LoggerService): LoggerService {
  const error: LoggerService['error'] = (message, ...rest: unknown[]) => {
    if (rest.at(-1) !== 'ExceptionHandler') logger.error(message, ...rest);
  };
  return { ...logger, error };
}
