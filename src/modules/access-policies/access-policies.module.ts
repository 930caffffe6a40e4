import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AccessPoliciesController } from './access-policies.controller.js';
import { AccessPoliciesRepository } from './access-policies.repository.js';
import { AccessPoliciesService } from './access-policies.service.js';

/** Access policies of workspaces, their assignment and their validation. */
@Module({
  imports: [AuditModule],
  controllers: [AccessPoliciesController],
  providers: [AccessPoliciesRepository, AccessPoliciesService],
  exports: [AccessPoliciesService],
})
export class AccessPoliciesModule {}
