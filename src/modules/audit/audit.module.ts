import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { AuditEntriesRepository } from './audit-entries.repository.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { AuditLog } from './audit-log.js';
import { AuditService } from './audit.service.js';
import { WorkspaceAuditService } from './workspace-audit.service.js';

/** One log: modules record entries, the operator reads all of them, and owners those of their workspace. */
@Module({
  imports: [EventsModule],
  controllers: [AuditController],
  providers: [
    AuditService,
    { provide: AuditLog, useExisting: AuditService },
    AuditRepository,
    AuditEntriesRepository,
    WorkspaceAuditService,
  ],
  exports: [AuditLog, AuditService, WorkspaceAuditService],
})
export class AuditModule {}
