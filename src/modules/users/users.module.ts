import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { MembershipsService } from './memberships.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { MemberCounts } from './member-counts.js';
import { MembershipsRepository } from './memberships.repository.js';
import { CallerUsersService } from './caller-users.service.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AuditModule, WorkspacesModule],
  controllers: [InvitationsController, UsersController],
  providers: [UsersService, CallerUsersService, MembershipsService, InvitationsService, MembershipsRepository, MemberCounts],
  exports: [UsersService, CallerUsersService],
})
export class UsersModule {}
