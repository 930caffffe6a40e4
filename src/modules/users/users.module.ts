import { Module, type OnModuleInit } from '@nestjs/common';
import { Erasures } from '../../platform/database/erasures.js';
import { IdempotencyKey } from '../../platform/http/idempotency/idempotency-key.entity.js';
import { RecordCounters } from '../../records/record-counters.js';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditModule } from '../audit/audit.module.js';
import { WorkspaceAuditService } from '../audit/workspace-audit.service.js';
import { EventsModule } from '../events/events.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CallerUsersService } from './caller-users.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { Membership } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { MembershipsService } from './memberships.service.js';
import { UserAdministrationService } from './user-administration.service.js';
import { UserErasureService } from './user-erasure.service.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AccessPoliciesModule, AuditModule, EventsModule, WorkspacesModule],
  controllers: [InvitationsController, UsersController],
  providers: [
    UsersService,
    UserAdministrationService,
    UserErasureService,
    CallerUsersService,
    MembershipsService,
    InvitationsService,
    MembershipsRepository,
    UsersRepository,
  ],
  exports: [UsersService, UserAdministrationService, UserErasureService, CallerUsersService, MembershipsService],
})
export class UsersModule implements OnModuleInit {
  constructor(
    private readonly counters: RecordCounters,
    private readonly policies: AccessPoliciesService,
    private readonly audit: WorkspaceAuditService,
    private readonly memberships: MembershipsRepository,
    private readonly erasures: Erasures,
  ) {}

  onModuleInit(): void {
    this.counters.registerEntity('workspace', 'users', Membership);
    this.policies.registerHolder({
      countAssignments: (workspaceId, policyId) => this.memberships.countWithPolicy(workspaceId, policyId),
    });
    this.erasures.registerOwnRows(IdempotencyKey, (workspaceId, _, bind) => {
      const members = `SELECT m.user_id::text FROM workspace_members m WHERE m.workspace_id = ${bind(workspaceId)}`;
      // Responses to anonymous callers do not name their workspace.
      return `t.caller IN (${members}) OR starts_with(t.caller, 'public:')`;
    });
    this.audit.readMembersFrom((workspaceId) => this.memberships.listPeriods(workspaceId));
  }
}
