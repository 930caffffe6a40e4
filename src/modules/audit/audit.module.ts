import { Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';

@Module({ providers: [AuditService, AuditRepository], exports: [AuditService] })
export class AuditModule implements OnModuleInit {
  constructor(
    private readonly audit: AuditService,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('old audit events', (batch) => this.audit.deleteOld(batch));
  }
}
