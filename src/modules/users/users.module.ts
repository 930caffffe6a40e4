import { Module, type OnModuleInit } from '@nestjs/common';
import { RecordCounters } from '../../records/record-counters.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CallerUsersService } from './caller-users.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { Membership } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { MembershipsService } from './memberships.service.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AuditModule, EventsModule, WorkspacesModule],
  controllers: [InvitationsController, UsersController],
  providers: [
    UsersService,
    CallerUsersService,
    MembershipsService,
    InvitationsService,
    MembershipsRepository,
    UsersRepository,
  ],
  exports: [UsersService, CallerUsersService],
})
export class UsersModule implements OnModuleInit {
  constructor(private readonly counters: RecordCounters) {}

  onModuleInit(): void {
    this.counters.registerEntity('workspace', 'users', Membership);
  }
}
