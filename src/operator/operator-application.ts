import { NestFactory } from '@nestjs/core';
import { FileAuditService } from '../modules/attachments/file-audit.service.js';
import { FileBackupService } from '../modules/attachments/file-backup.service.js';
import { AuditService } from '../modules/audit/audit.service.js';
import { ApiKeysService } from '../modules/auth/api-keys.service.js';
import { ClientsService } from '../modules/auth/clients.service.js';
import { SigningKeyRotationService } from '../modules/auth/signing-key-rotation.service.js';
import { EventsService } from '../modules/events/events.service.js';
import { IdentitiesService } from '../modules/identity/identities.service.js';
import { IssuersService } from '../modules/identity/issuers.service.js';
import { SessionsService } from '../modules/sessions/sessions.service.js';
import { SubscriptionsService } from '../modules/subscriptions/subscriptions.service.js';
import { WorkspaceExportService } from '../modules/transfers/workspace-export.service.js';
import { WorkspaceImportService } from '../modules/transfers/workspace-import.service.js';
import { WorkspaceRemovalService } from '../modules/transfers/workspace-removal.service.js';
import { UserAdministrationService } from '../modules/users/user-administration.service.js';
import { UserErasureService } from '../modules/users/user-erasure.service.js';
import { UsersService } from '../modules/users/users.service.js';
import { StoredTablesService } from '../modules/workspace-tables/admin/stored-tables.service.js';
import { WorkspacesService } from '../modules/workspaces/workspaces.service.js';
import type { Config } from '../platform/config/config.js';
import { Cluster } from '../platform/database/cluster.js';
import { createLogger, nestLogger } from '../platform/logging/logging.js';
import { SharedBucketsRepository } from '../platform/throttling/shared-buckets.repository.js';
import { OperatorModule } from './operator.module.js';

/** The services that the commands call. */
const SERVICES = {
  workspaces: WorkspacesService,
  workspaceExport: WorkspaceExportService,
  workspaceImport: WorkspaceImportService,
  workspaceRemoval: WorkspaceRemovalService,
  users: UsersService,
  userAdministration: UserAdministrationService,
  userErasure: UserErasureService,
  clients: ClientsService,
  apiKeys: ApiKeysService,
  issuers: IssuersService,
  identities: IdentitiesService,
  sessions: SessionsService,
  audit: AuditService,
  signingKeys: SigningKeyRotationService,
  buckets: SharedBucketsRepository,
  files: FileAuditService,
  backup: FileBackupService,
  tables: StoredTablesService,
  events: EventsService,
  subscriptions: SubscriptionsService,
  cluster: Cluster,
};

export type Services = { [Name in keyof typeof SERVICES]: InstanceType<(typeof SERVICES)[Name]> };

/** Runs the work with the services on this database. */
export async function withApplication(
  config: Config,
  databaseUrl: string,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  // An application that never listens. An application context could not be closed if its start fails half-way.
  const app = await NestFactory.create(OperatorModule.with(config, databaseUrl), {
    logger: nestLogger(await createLogger(config)),
    bodyParser: false,
    abortOnError: false,
  });
  try {
    await app.init();
    const services = Object.entries(SERVICES).map(([name, type]) => [name, app.get<unknown>(type)]);
    await work(Object.fromEntries(services) as Services);
  } finally {
    await app.close();
  }
}
