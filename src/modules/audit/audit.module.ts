import { Module, type OnModuleInit } from '@nestjs/common';
import { Cleanup } from '../../platform/cleanup/cleanup.js';
import { AuditService } from './audit.service.js';

@Module({ providers: [AuditService], exports: [AuditService] })
export class AuditModule implements OnModuleInit {
  constructor(
    private readonly audit: AuditService,
    private readonly cleanup: Cleanup,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('old lines of the audit log', (batch) => this.audit.removeOld(batch));
  }
}
