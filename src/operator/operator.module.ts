import { type DynamicModule, Module } from '@nestjs/common';
import { migrations } from '../../migrations/migrations.js';
import { AttachmentsModule } from '../modules/attachments/attachments.module.js';
import { AuditModule } from '../modules/audit/audit.module.js';
import { AuthModule } from '../modules/auth/auth.module.js';
import { IdentityModule } from '../modules/identity/identity.module.js';
import { SearchModule } from '../modules/search/search.module.js';
import { SessionsModule } from '../modules/sessions/sessions.module.js';
import { SubscriptionsModule } from '../modules/subscriptions/subscriptions.module.js';
import { TransfersModule } from '../modules/transfers/transfers.module.js';
import { UsersModule } from '../modules/users/users.module.js';
import { VirtualStagingModule } from '../modules/virtual-staging/virtual-staging.module.js';
import { WorkspaceTablesModule } from '../modules/workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../modules/workspaces/workspaces.module.js';
import { JobsModule } from '../platform/jobs/jobs.module.js';
import type { Config } from '../platform/config/config.js';
import { ConfigModule } from '../platform/config/config.module.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { HealthModule } from '../platform/health/health.module.js';
import { HttpModule } from '../platform/http/http.module.js';
import { StorageModule } from '../platform/storage/storage.module.js';
import { ThrottlingModule } from '../platform/throttling/throttling.module.js';
import { BodyModule } from '../platform/body/body.module.js';
import { RecordsModule } from '../records/records.module.js';

/**
 * The modules whose services the operator CLI calls; it does not listen. What a module stores of a person is erased
 * only if it is listed, or imported by one that is: search imports notes, projects and tours.
 */
@Module({})
export class OperatorModule {
  static with(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.with(databaseUrl, migrations),
        HttpModule,
        BodyModule,
        JobsModule,
        StorageModule,
        ThrottlingModule,
        HealthModule,
        RecordsModule,

        AuthModule,
        IdentityModule,
        AuditModule,
        AttachmentsModule,
        SessionsModule,
        SubscriptionsModule,
        TransfersModule,
        UsersModule,
        WorkspacesModule,
        // Creates the schema of a new workspace.
        WorkspaceTablesModule,
        SearchModule,
        VirtualStagingModule,
      ],
    };
  }
}
