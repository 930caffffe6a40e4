import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { LegacyTablesRepository } from './legacy-tables.repository.js';
import { LegacyWebhookController } from './legacy-webhook.controller.js';
import { LegacyWebhookService } from './legacy-webhook.service.js';
import { TableForgetter } from './legacy-table-referrer.js';

/** The one inbound webhook, for callers who have yet to move to the bulk call. */
@Module({
  imports: [AuditModule, WorkspaceTablesModule],
  controllers: [LegacyWebhookController],
  providers: [LegacyTablesRepository, LegacyWebhookService, TableForgetter],
})
export class LegacyWebhookModule {}
