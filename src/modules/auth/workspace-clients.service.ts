import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import type { Principal } from '../../platform/security/principal.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditService } from '../audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { AUTH_ERRORS } from './auth.errors.js';
import type { ChangeOAuthClientDto, OAuthClientDto } from './dto/oauth-client.dto.js';
import { WorkspaceClientsRepository } from './workspace-clients.repository.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';

/** The OAuth clients of the members of a workspace, as its owners restrict them (ADR 0161). */
@Injectable()
export class WorkspaceClientsService {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkspaceClientsRepository,
    private readonly users: UsersService,
    private readonly policies: AccessPoliciesService,
    private readonly audit: AuditService,
  ) {}

  /** The newest first. @throws {InvalidCursorError} */
  list(workspaceId: string, query: PageQueryDto): Promise<Page<OAuthClientDto>> {
    return this.repository.findPage(workspaceId, query);
  }

  /** @throws {NotFoundError} */
  get(workspaceId: string, id: string): Promise<OAuthClientDto> {
    return this.repository.get(workspaceId, id);
  }

  /**
   * Sets or removes the policy of the client in the workspace. Its next request obeys it, on all instances.
   *
   * @throws {NotFoundError | PolicyNotAssignableError | DomainError} `own_client`
   */
  async change(
    caller: Principal,
    workspaceId: string,
    id: string,
    { policyId }: ChangeOAuthClientDto,
  ): Promise<OAuthClientDto> {
    const client = await this.get(workspaceId, id);
    if (policyId === undefined) return client;
    if (policyId !== null && id === caller.clientId)
      throw new DomainError(AUTH_ERRORS.own_client, undefined, { field: 'policyId' });
    await this.database.transaction(async () => {
      if (policyId !== null) await this.policies.requireAssignable(workspaceId, policyId);
      const { userId } = client;
      if (!(await this.users.setClientPolicy({ workspaceId, userId, clientId: id }, policyId))) return;
      const reason = `client ${id}, policyId: ${policyId ?? 'none'}`;
      await this.audit.record({ kind: 'access_policy_assigned', workspaceId, userId, clientId: id, reason });
    });
    return this.get(workspaceId, id);
  }
}
