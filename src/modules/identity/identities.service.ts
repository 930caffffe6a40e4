import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { Database } from '../../platform/database/database.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { ClientsService } from '../auth/clients.service.js';
import { LastOwnerError } from '../users/users.errors.js';
import { UsersService } from '../users/users.service.js';
import { mapGroups } from './claim-mapping.js';
import { FederatedIdentity } from './federated-identity.entity.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IDENTITY_ERRORS, NotAMemberError } from './identity.errors.js';
import type { VerifiedToken } from './issuer-token-verifier.js';
import { IssuersService } from './issuers.service.js';
import { MappedMembershipsService } from './mapped-memberships.service.js';
import type { TrustedIssuer } from './trusted-issuer.entity.js';

/** The user whom a subject of an issuer is, and what its groups make of the user's memberships. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly database: Database,
    private readonly repository: IdentitiesRepository,
    private readonly issuers: IssuersService,
    private readonly users: UsersService,
    private readonly mapped: MappedMembershipsService,
    private readonly clients: ClientsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a client without a secret: tokens of this subject act as the user.
   *
   * @returns its ID.
   * @throws {NotFoundError | DomainError} `identity_exists`
   */
  async createClient(userId: string, url: string, subject: string, scopes?: readonly Scope[]): Promise<string> {
    return this.database
      .transaction(async () => {
        const issuer = await this.issuers.get(url);
        await this.release(issuer.id, subject);
        const clientId = await this.clients.createWithoutSecret(userId, scopes);
        await this.insert(issuer, subject, userId, clientId);
        return clientId;
      })
      .catch(translateSqlState(SQLSTATE.uniqueViolation, () => new DomainError(IDENTITY_ERRORS.identity_exists)));
  }

  /**
   * Binds a subject that is not bound yet to the user with its verified email address. A user has one identity of this
   * kind, so that no second issuer of the same domain can act as the user.
   *
   * @throws {NotAMemberError}
   */
  async link(token: VerifiedToken): Promise<void> {
    const { issuer, subject, email } = token;
    if (email === undefined) throw new NotAMemberError(`${issuer.url} states no verified email address`, token);
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (!issuer.domains.includes(domain))
      throw new NotAMemberError(`the domain of the email address is not one of ${issuer.url}`, token);
    const attempt = async () => {
      const user = await this.users.findByEmail(email);
      if (!user) throw new NotAMemberError('no user has the email address', token);
      // One of several first requests at the same time binds the subject.
      await this.users.lock(user.id);
      if ((await this.users.get(user.id)).status !== 'active')
        throw new NotAMemberError('the user is suspended', token, user.id);
      if (!(await this.repository.isMemberOrInvited(user.id)))
        throw new NotAMemberError('the user is neither a member nor invited', token, user.id);
      const identity = await this.find(user.id);
      if (identity?.issuerId === issuer.id && identity.subject === subject) return;
      if (identity) throw new NotAMemberError('the user is another subject, or one of another issuer', token, user.id);
      await this.insert(issuer, subject, user.id, null);
    };
    // Another token of the subject, with the email address of another user, was used at the same time.
    const toBound = () => new NotAMemberError(`the subject of ${issuer.url} is another user`, token);
    await this.database.transaction(attempt).catch(translateSqlState(SQLSTATE.uniqueViolation, toBound));
  }

  /**
   * Records the sign-in of the newest token of a subject, and applies its groups to the memberships. An older one
   * changes nothing.
   *
   * @param clientId of a machine, whose memberships do not change.
   */
  async acceptToken(token: VerifiedToken, userId: string, clientId: string | null): Promise<void> {
    const { issuer, subject, groups } = token;
    await this.database.transaction(async () => {
      if (!(await this.repository.recordToken(token, userId))) return;
      await this.audit.record({ kind: 'signed_in', userId, clientId, details: { issuer: issuer.url, subject } });
      if (clientId === null && groups) await this.applyGroups(issuer, userId, groups);
    });
  }

  /** The last owner of a workspace remains one. */
  private async applyGroups({ url, claims }: TrustedIssuer, userId: string, groups: readonly string[]): Promise<void> {
    const mapped = mapGroups(claims, groups);
    if (mapped.length === 0) return;
    await this.users.lock(userId);
    for (const each of mapped)
      await this.mapped.apply(userId, each, { userId: null, issuer: url }).catch((error: unknown) => {
        if (!(error instanceof LastOwnerError)) throw error;
      });
  }

  /** Forgets the subject if its client is disabled: such a client cannot be enabled again. */
  private async release(issuerId: string, subject: string): Promise<void> {
    const identity = await this.database.repository(FederatedIdentity).findOneBy({ issuerId, subject });
    const client = (await this.clients.list()).find(({ clientId }) => clientId === identity?.clientId);
    if (client?.status === 'disabled') await this.database.repository(FederatedIdentity).delete({ issuerId, subject });
  }

  /** What issuers call the user. */
  async listSubjects(userId: string): Promise<string[]> {
    return (await this.database.repository(FederatedIdentity).findBy({ userId })).map(({ subject }) => subject);
  }

  /** The identity of a person. */
  private find(userId: string): Promise<FederatedIdentity | null> {
    return this.database.repository(FederatedIdentity).findOneBy({ userId, clientId: IsNull() });
  }

  private async insert(issuer: TrustedIssuer, subject: string, userId: string, clientId: string | null): Promise<void> {
    await this.database.repository(FederatedIdentity).insert({ issuerId: issuer.id, subject, userId, clientId });
    await this.audit.record({ kind: 'identity_linked', userId, clientId, details: { issuer: issuer.url, subject } });
  }
}
