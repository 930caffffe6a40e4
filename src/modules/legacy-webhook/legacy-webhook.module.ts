import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { LegacyTables } from './legacy-tables.js';
import { LegacyWebhookController } from './legacy-webhook.controller.js';
import { LegacyWebhookService } from './legacy-webhook.service.js';

/** The legacy webhook, for callers that do not use the bulk request yet. */
@Module({
  imports: [AuditModule, WorkspaceTablesModule],
  controllers: [LegacyWebhookController],
  providers: [LegacyTables, LegacyWebhookService],
})
export class LegacyWebhookModule {}
