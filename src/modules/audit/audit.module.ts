import { Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';
import { AuditService } from './audit.service.js';

@Module({ providers: [AuditService], exports: [AuditService] })
export class AuditModule implements OnModuleInit {
  constructor(
    private readonly audit: AuditService,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('old lines of the audit log', (batch) => this.audit.deleteOld(batch));
  }
}
