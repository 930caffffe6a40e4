/**
 * The root module: what all modules use (`src/platform`, `src/records`), then one module per feature (`src/modules`).
 * Routes are in the `*.controller.ts` of a module. Each states who may call it (`@RequireScope()`, `@Public()`, …), or
 * the service does not start. Services inject `Database`, whose `repository(Entity)` joins the open transaction; SQL
 * is in `*.repository.ts`. Nothing exports the `DataSource`.
 *
 * `npm run generate -- module NAME` adds a module here and in `operator/operator.module.ts`, with a migration and an
 * end-to-end test (docs/how-to/extending.md). The modules that it imports are listed in `.dependency-cruiser.cjs`.
 * The operator CLI creates an application of `OperatorModule`, which never listens.
 */
import { type DynamicModule, Module } from '@nestjs/common';
import { migrations } from '../migrations/migrations.js';
import { AccessPoliciesModule } from './modules/access-policies/access-policies.module.js';
import { AnalyticsModule } from './modules/analytics/analytics.module.js';
import { AssistantsModule } from './modules/assistants/assistants.module.js';
import { AttachmentsModule } from './modules/attachments/attachments.module.js';
import { AuditModule } from './modules/audit/audit.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { DemoModule } from './modules/demo/demo.module.js';
import { EventsModule } from './modules/events/events.module.js';
import { IdentityModule } from './modules/identity/identity.module.js';
import { LegacyWebhookModule } from './modules/legacy-webhook/legacy-webhook.module.js';
import { NotesModule } from './modules/notes/notes.module.js';
import { ODataModule } from './modules/odata/odata.module.js';
import { ProjectsModule } from './modules/projects/projects.module.js';
import { SearchModule } from './modules/search/search.module.js';
import { SessionsModule } from './modules/sessions/sessions.module.js';
import { SubscriptionsModule } from './modules/subscriptions/subscriptions.module.js';
import { ToursModule } from './modules/tours/tours.module.js';
import { TransfersModule } from './modules/transfers/transfers.module.js';
import { UsersModule } from './modules/users/users.module.js';
import { VirtualStagingModule } from './modules/virtual-staging/virtual-staging.module.js';
import { WorkspaceTablesModule } from './modules/workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from './modules/workspaces/workspaces.module.js';
import { BodyModule } from './platform/body/body.module.js';
import type { Config } from './platform/config/config.js';
import { ConfigModule } from './platform/config/config.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthModule } from './platform/health/health.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { REQUEST_PIPELINE } from './platform/request-pipeline.js';
import { SecurityModule } from './platform/security/security.module.js';
import { StorageModule } from './platform/storage/storage.module.js';
import { ThrottlingModule } from './platform/throttling/throttling.module.js';
import { RecordsModule } from './records/records.module.js';

@Module({})
export class AppModule {
  /** @param databaseUrl absent: the routes are read, but no provider is created. */
  static with(config: Config, databaseUrl = ''): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.with(databaseUrl, migrations, config.database.readUrl),
        HttpModule,
        JobsModule,
        SecurityModule,
        ThrottlingModule,
        StorageModule,
        BodyModule,
        HealthModule,
        RecordsModule,

        EventsModule,
        SubscriptionsModule,
        AuthModule,
        IdentityModule,
        AuditModule,
        AccessPoliciesModule,
        SessionsModule,
        UsersModule,
        WorkspacesModule,
        WorkspaceTablesModule,
        LegacyWebhookModule,
        ODataModule,
        ProjectsModule,
        ToursModule,
        NotesModule,
        AttachmentsModule,
        VirtualStagingModule,
        AnalyticsModule,
        SearchModule,
        AssistantsModule,
        TransfersModule,
        DemoModule,
      ],
      providers: REQUEST_PIPELINE,
    };
  }
}
