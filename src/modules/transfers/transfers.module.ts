import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspaceTablesModule } from '../workspace-tables/workspace-tables.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { RowImport } from './row-import.js';
import { TransfersRepository } from './transfers.repository.js';
import { WorkspaceExportService } from './workspace-export.service.js';
import { WorkspaceImportService } from './workspace-import.service.js';
import { WorkspaceRemovalService } from './workspace-removal.service.js';

/** Exports a workspace to another service, imports it there, and removes it. */
@Module({
  imports: [AttachmentsModule, AuditModule, SubscriptionsModule, UsersModule, WorkspaceTablesModule, WorkspacesModule],
  providers: [RowImport, TransfersRepository, WorkspaceExportService, WorkspaceImportService, WorkspaceRemovalService],
  exports: [WorkspaceExportService, WorkspaceImportService, WorkspaceRemovalService],
})
export class TransfersModule {}
