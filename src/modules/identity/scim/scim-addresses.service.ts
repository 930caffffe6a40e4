import { Injectable } from '@nestjs/common';
import { SQLSTATE, translateSqlState } from '../../../../packages/sql/src/sql-state.js';
import { Database } from '../../../platform/database/database.js';
import { AuditService } from '../../audit/audit.service.js';
import { MembershipsService } from '../../users/memberships.service.js';
import { UsersService } from '../../users/users.service.js';
import { FederatedIdentity } from '../federated-identity.entity.js';
import { IssuersService } from '../issuers.service.js';
import type { TrustedIssuer } from '../trusted-issuer.entity.js';
import { ScimError } from './scim.errors.js';
import type { ScimCaller } from './scim-resources.js';

/**
 * Which email addresses a workspace may give to users. The owners of any workspace may call SCIM, so the operator
 * decides, by an issuer with the domain and a mapping to the workspace.
 */
@Injectable()
export class ScimAddressesService {
  constructor(
    private readonly database: Database,
    private readonly issuers: IssuersService,
    private readonly users: UsersService,
    private readonly memberships: MembershipsService,
    private readonly audit: AuditService,
  ) {}

  /** The issuers that the operator trusts with these addresses for the workspace. */
  async findIssuers(workspaceId: string, emails: readonly string[]): Promise<TrustedIssuer[]> {
    const wanted = emails.map((email) => email.slice(email.lastIndexOf('@') + 1));
    return (await this.issuers.list()).filter(
      ({ domains, claims }) =>
        wanted.every((domain) => domains.includes(domain)) &&
        claims.memberships.some(({ workspace }) => workspace === workspaceId),
    );
  }

  /**
   * Changes the email address of a user within the domains of one issuer. Otherwise an owner could give the address of
   * another person to a user whose credentials the owner has, and the person would be bound to this user.
   *
   * @throws {ScimError}
   */
  async change({ caller, workspaceId }: ScimCaller, userId: string, former: string, email: string): Promise<void> {
    const issuers = await this.findIssuers(workspaceId, [former, email]);
    if (issuers.length === 0)
      throw reject(
        'The email address can be changed only within the domains of one issuer that the operator maps here.',
      );
    // Others that invite the user wait.
    await this.users.lock(userId);
    if ((await this.memberships.find({ id: userId })).some((membership) => membership.workspaceId !== workspaceId))
      throw reject('The user is or was in another workspace, too, so the email address cannot be changed.');
    const identities = await this.database.repository(FederatedIdentity).findBy({ userId });
    if (!identities.every(({ issuerId }) => issuers.some(({ id }) => id === issuerId)))
      throw reject('The user is a subject of another issuer, so the email address cannot be changed.');
    const toTaken = () => new ScimError('uniqueness', 'Another user has this userName.');
    await this.users
      .rename({ workspaceId, userId }, email, caller.userId)
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
    await this.audit.record({ kind: 'member_changed', workspaceId, userId, reason: 'email' });
  }
}

function reject(reason: string): ScimError {
  return new ScimError('mutability', reason);
}
