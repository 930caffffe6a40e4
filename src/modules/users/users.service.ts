import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { Membership } from './membership.entity.js';
import { MembershipsService } from './memberships.service.js';
import { normalizeEmail, User, type UserStatus } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

/** Memberships that are neither invitations nor ended. */
const ACCEPTED = { archivedAt: IsNull(), acceptedAt: Not(IsNull()) };

/**
 * Revokes access of a user, in the transaction that suspends the user. Returns the number of sessions that it revoked.
 */
type AccessRevocation = (userId: string) => Promise<number>;

/** Removes the credentials and sessions of a user, in the transaction that deletes the user. */
type AccessRemoval = (userId: string) => Promise<void>;

/** Users of the whole service, as the operator manages them. */
@Injectable()
export class UsersService {
  private readonly revocations: AccessRevocation[] = [];
  private readonly removals: AccessRemoval[] = [];

  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
    private readonly memberships: MembershipsService,
  ) {}

  /** Registers what every later suspension revokes. */
  onSuspension(revoke: AccessRevocation): void {
    this.revocations.push(revoke);
  }

  /** Registers what every later deletion removes. */
  onDeletion(remove: AccessRemoval): void {
    this.removals.push(remove);
  }

  /**
   * Makes the user with this email address, who is created if unknown, a member of the workspaces. No workspace can
   * prevent this by inviting or removing the user before.
   *
   * @throws {NotFoundError} if a workspace does not exist.
   */
  async create(email: string, workspaceIds: readonly string[], displayName?: string): Promise<User> {
    return this.database.transaction(async () => {
      const [[, id]] = [...(await this.repository.createAndLock([normalizeEmail(email)]))] as [[string, string]];
      for (const workspaceId of workspaceIds) {
        await this.workspaces.get(workspaceId);
        await this.memberships.admit(workspaceId, id, displayName);
      }
      return this.get(id);
    });
  }

  /** All users with their workspaces. The display name is that of the oldest membership that has one. */
  async list(): Promise<(User & { displayName: string | null; workspaceIds: string[] })[]> {
    const memberships = await this.database
      .repository(Membership)
      .find({ where: ACCEPTED, order: { createdAt: 'ASC', workspaceId: 'ASC' } });
    const byUser = new Map<string, Membership[]>();
    for (const membership of memberships) byUser.set(membership.id, [...(byUser.get(membership.id) ?? []), membership]);
    const users = await this.database.repository(User).find({ order: { createdAt: 'ASC', id: 'ASC' } });
    return users.map((user) => {
      const own = byUser.get(user.id) ?? [];
      const displayName = own.find((membership) => membership.displayName)?.displayName ?? null;
      return { ...user, displayName, workspaceIds: own.map(({ workspaceId }) => workspaceId).sort() };
    });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.repository(User).findOneBy({ email: normalizeEmail(email) });
  }

  /** @throws {NotFoundError} */
  async get(id: string): Promise<User> {
    const user = await this.database.repository(User).findOneBy({ id });
    if (!user) throw new NotFoundError(`The user ${id}`);
    return user;
  }

  /**
   * Prevents sign-ins and the use of API keys in all workspaces, and revokes all sessions. A sign-in in progress waits
   * and is rejected.
   *
   * @returns the number of sessions that this revoked.
   * @throws {NotFoundError}
   */
  async suspend(id: string): Promise<number> {
    return this.database.transaction(async () => {
      await this.setStatus(id, 'suspended');
      let sessions = 0;
      for (const revoke of this.revocations) sessions += await revoke(id);
      await this.audit.record({ kind: 'user_suspended', userId: id, counts: { sessions } });
      return sessions;
    });
  }

  /** Allows sign-ins again; the API keys become valid again. @throws {NotFoundError} */
  async activate(id: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.setStatus(id, 'active');
      await this.audit.record({ kind: 'user_activated', userId: id });
    });
  }

  /**
   * Deletes the user with all memberships, credentials and sessions. The email address is then unknown. Records contain
   * the ID of the user as before, and the audit log its events.
   *
   * @throws {NotFoundError}
   */
  async delete(id: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.get(id);
      // Before the lock on the user, in the order of a sign-in.
      for (const remove of this.removals) await remove(id);
      await this.repository.lock(id);
      await this.memberships.deleteOf(id);
      await this.database.repository(User).delete({ id });
      await this.audit.record({ kind: 'user_deleted', userId: id });
    });
  }

  /** The workspaces to which the user has access. */
  async findWorkspaceIds(userId: string): Promise<string[]> {
    const memberships = await this.database
      .repository(Membership)
      .findBy({ id: userId, status: 'active', ...ACCEPTED });
    return memberships.map(({ workspaceId }) => workspaceId);
  }

  /** Locks the user until the transaction ends, for decisions that must be made one at a time per user. */
  lock(userId: string): Promise<void> {
    return this.repository.lock(userId);
  }

  private async setStatus(id: string, status: UserStatus): Promise<void> {
    const { affected } = await this.database.repository(User).update({ id }, { status });
    if (affected === 0) throw new NotFoundError(`The user ${id}`);
  }
}
