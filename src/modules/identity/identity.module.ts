import { Module, type OnModuleInit } from '@nestjs/common';
import { Erasures } from '../../platform/database/erasures.js';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { IssuerTokensService } from '../auth/issuer-tokens.service.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { FederatedIdentity } from './federated-identity.entity.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentitiesService } from './identities.service.js';
import { IssuerAuthenticator } from './issuer-authenticator.js';
import { IssuersService } from './issuers.service.js';
import { MappedMembershipsService } from './mapped-memberships.service.js';
import { prepareScimRequest } from './scim/scim-endpoint.decorator.js';
import { ScimAddressesService } from './scim/scim-addresses.service.js';
import { ScimController, ScimGroupsController, ScimUsersController } from './scim/scim.controller.js';
import { ScimGroup } from './scim/scim-group.entity.js';
import { ScimGroupsService } from './scim/scim-groups.service.js';
import { ScimService } from './scim/scim.service.js';
import { ScimUsersService } from './scim/scim-users.service.js';
import { SignInIssuersController } from './sign-in-issuers.controller.js';

/** Identity providers of enterprises: the issuers whose tokens the service accepts, and provisioning by SCIM. */
@Module({
  imports: [AccessPoliciesModule, AuditModule, AuthModule, SessionsModule, UsersModule, WorkspacesModule],
  controllers: [ScimController, ScimUsersController, ScimGroupsController, SignInIssuersController],
  providers: [
    IdentitiesRepository,
    IdentitiesService,
    IssuerAuthenticator,
    IssuersService,
    MappedMembershipsService,
    ScimAddressesService,
    ScimGroupsService,
    ScimService,
    ScimUsersService,
  ],
  exports: [IdentitiesService, IssuersService],
})
export class IdentityModule implements OnModuleInit {
  static readonly prepareRequest = prepareScimRequest;

  constructor(
    private readonly tokens: IssuerTokensService,
    private readonly issuers: IssuerAuthenticator,
    private readonly trusted: IssuersService,
    private readonly identities: IdentitiesService,
    private readonly erasures: Erasures,
    private readonly workspaces: WorkspacesService,
  ) {}

  onModuleInit(): void {
    this.erasures.registerNames(
      (userId) => this.identities.listSubjects(userId),
      FederatedIdentity,
      ({ userId }, bind) => ({ condition: `t.user_id = ${bind(userId)} AND t.client_id IS NULL` }),
    );
    this.erasures.registerRows(ScimGroup, ({ userId }, bind) => ({
      condition: `${bind(userId)} = ANY (t.members)`,
      assignments: [`members = array_remove(t.members, ${bind(userId)}::uuid)`],
    }));
    this.workspaces.registerRemoval((workspaceId) => this.trusted.forgetWorkspace(workspaceId));
    this.tokens.authenticate = (request, token) => this.issuers.authenticate(request, token);
    this.tokens.listSignInUrls = async () => (await this.trusted.listSignIns()).map(({ url }) => url);
  }
}
