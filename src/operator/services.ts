import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FileAuditService } from '../modules/attachments/file-audit.service.js';
import { AuditService } from '../modules/audit/audit.service.js';
import { ApiKeysService } from '../modules/auth/api-keys.service.js';
import { ClientsService } from '../modules/auth/clients.service.js';
import { SigningKeyRotation } from '../modules/auth/signing-key-rotation.service.js';
import { SessionsService } from '../modules/sessions/sessions.service.js';
import { TableLayoutsService } from '../modules/workspace-tables/admin/table-layouts.service.js';
import { UsersService } from '../modules/users/users.service.js';
import { WorkspacesService } from '../modules/workspaces/workspaces.service.js';
import { loadConfig } from '../platform/config/config.module.js';
import { createLogger, nestLogger } from '../platform/logging/logging.js';
import { SharedBuckets } from '../platform/throttling/shared-buckets.js';
import { OperatorModule } from './operator.module.js';

/** The modules' services that commands call. */
export interface Services {
  workspaces: WorkspacesService;
  users: UsersService;
  clients: ClientsService;
  apiKeys: ApiKeysService;
  sessions: SessionsService;
  audit: AuditService;
  signingKeys: SigningKeyRotation;
  buckets: SharedBuckets;
  files: FileAuditService;
  tableLayouts: TableLayoutsService;
}

/** Does the work among the services, and leaves the database as a process that stops does. */
export async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  // Only what goes wrong is worth a line beside the answer.
  const config = loadConfig({ LOG_LEVEL: 'warn' });
  // One Ctrl-C lets the command end as it should, which takes a moment; a second one does not wait.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => undefined);
  // An application that never listens, and not an application context: that one cannot be closed where its start fails
  // half-way, and would leave an embedded PostgreSQL behind.
  const app = await NestFactory.create(OperatorModule.with(config), {
    logger: withoutBootFailure(nestLogger(createLogger(config))),
    bodyParser: false,
    abortOnError: false,
  });
  try {
    await app.init();
    await work({
      workspaces: app.get(WorkspacesService),
      users: app.get(UsersService),
      clients: app.get(ClientsService),
      apiKeys: app.get(ApiKeysService),
      sessions: app.get(SessionsService),
      audit: app.get(AuditService),
      signingKeys: app.get(SigningKeyRotation),
      buckets: app.get(SharedBuckets),
      files: app.get(FileAuditService),
      tableLayouts: app.get(TableLayoutsService),
    });
  } finally {
    await app.close();
  }
}

/** Nest logs the error that it throws when it cannot start; it is told once, at the end. */
function withoutBootFailure(logger: LoggerService): LoggerService {
  const error: LoggerService['error'] = (message: unknown, ...rest: unknown[]) => {
    if (rest.at(-1) !== 'ExceptionHandler') logger.error(message, ...rest);
  };
  return { ...logger, error };
}
