import { Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { UsersService } from '../users/users.service.js';
import { SessionCounts } from './session-counts.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AuditModule, UsersModule],
  controllers: [SessionsController],
  providers: [SessionsService, SessionCounts],
  exports: [SessionsService],
})
export class SessionsModule implements OnModuleInit {
  constructor(
    private readonly sessions: SessionsService,
    private readonly users: UsersService,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.users.register({ end: (userId) => this.sessions.revokeAllOf(userId, 'user_suspended') });
    this.cleanup.register('ended sessions', (batch) => this.sessions.removeEnded(batch));
  }
}
