import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { addCounts, type ErasureCounts } from '../../platform/database/erasures.js';
import { isUuid } from '../../../packages/sql/src/uuid.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import { normalizeEmail } from '../../platform/http/validation/email.decorator.js';
import { User } from './user.entity.js';
import { type KnownMember, type MemberClient, UsersRepository } from './users.repository.js';

/**
 * Revokes access of a user, in the transaction that suspends the user. Returns the number of sessions that it revoked.
 */
type AccessRevocation = (userId: string) => Promise<number>;

/**
 * Removes the credentials and sessions of a user, in the transaction that deletes or erases the user. Returns the
 * number of removed rows by table.
 */
type AccessRemoval = (userId: string) => Promise<ErasureCounts>;

/** Users of the whole service, as the modules that grant access to them need them. */
@Injectable()
export class UsersService {
  private readonly revocations: AccessRevocation[] = [];
  private readonly removals: AccessRemoval[] = [];

  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
  ) {}

  /** Registers what every later suspension revokes. */
  onSuspension(revoke: AccessRevocation): void {
    this.revocations.push(revoke);
  }

  /** Registers what every later deletion removes. */
  onDeletion(remove: AccessRemoval): void {
    this.removals.push(remove);
  }

  /** Revokes what is registered. @returns the number of sessions that this revoked. */
  async revokeAccess(id: string): Promise<number> {
    let sessions = 0;
    for (const revoke of this.revocations) sessions += await revoke(id);
    return sessions;
  }

  /** Removes what is registered, and locks the user. @returns the number of removed rows by table. */
  async removeAccess(id: string): Promise<ErasureCounts> {
    const counts: ErasureCounts = {};
    const removeAll = async () => {
      for (const remove of this.removals) addCounts(counts, await remove(id));
    };
    // Before the lock on the user, in the order of a sign-in.
    await removeAll();
    await this.lock(id);
    // API keys and clients that were created before the lock.
    await removeAll();
    return counts;
  }

  find(id: string): Promise<User | null> {
    return this.database.repository(User).findOneBy({ id });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.repository(User).findOneBy({ email: normalizeEmail(email) });
  }

  /** @throws {NotFoundError} if the user does not exist, or was erased. */
  async get(id: string): Promise<User> {
    const user = await this.getOrErased(id);
    if (user.status === 'erased') throw new NotFoundError(`The user ${id}`);
    return user;
  }

  /** Also an erased user. @throws {NotFoundError} */
  async getOrErased(id: string): Promise<User> {
    const user = await this.find(id);
    if (!user) throw new NotFoundError(`The user ${id}`);
    return user;
  }

  /** Those that are or were members of the workspace. @param idsOrEmails IDs and email addresses. */
  listMembers(workspaceId: string, idsOrEmails: readonly string[]): Promise<KnownMember[]> {
    const ids = idsOrEmails.filter(isUuid);
    const emails = idsOrEmails.filter((each) => !isUuid(each)).map(normalizeEmail);
    return this.repository.listMembers(workspaceId, ids, emails);
  }

  /** The workspaces to which the user has access. */
  findWorkspaceIds(userId: string): Promise<string[]> {
    return this.repository.findWorkspaceIds(userId);
  }

  /** Is the user an owner of the workspace who can sign in? No access policy restricts an owner. */
  isActiveOwner(workspaceId: string, userId: string): Promise<boolean> {
    return this.repository.isActiveOwner(workspaceId, userId);
  }

  /**
   * Sets or removes the access policy that an OAuth client of a member has in the workspace.
   *
   * @returns false if the client has the policy already, or the user is not a member.
   */
  setClientPolicy(client: MemberClient, policyId: string | null): Promise<boolean> {
    return this.repository.setClientPolicy(client, policyId);
  }

  /** Changes the email address, on behalf of a workspace that is the only one that knows the user. */
  rename(membership: { workspaceId: string; userId: string }, email: string, changedBy: string | null): Promise<void> {
    return this.repository.rename(membership, normalizeEmail(email), changedBy);
  }

  /** Locks users until the transaction ends, for decisions that must be made one at a time per user. */
  lock(...userIds: string[]): Promise<void> {
    return this.repository.lock(userIds);
  }
}
