import { Module, type OnModuleInit } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { UsersService } from '../users/users.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AuditModule, UsersModule],
  controllers: [SessionsController],
  providers: [SessionsService, SessionsRepository],
  exports: [SessionsService],
})
export class SessionsModule implements OnModuleInit {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly users: UsersService,
  ) {}

  onModuleInit(): void {
    this.users.onSuspension((userId) => this.sessions.revoke({ userId }, 'user_suspended'));
  }
}
