import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Role } from '../../platform/security/roles.js';
import { AuditService } from '../audit/audit.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { ACCEPTED, Membership } from './membership.entity.js';
import { MembershipsService } from './memberships.service.js';
import { normalizeEmail } from '../../platform/http/validation/email.decorator.js';
import { User, type UserStatus } from './user.entity.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Users of the whole service, as the operator manages them. */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
    private readonly memberships: MembershipsService,
    private readonly users: UsersService,
  ) {}

  /**
   * Makes the user with this email address, who is created if unknown, a member of the workspaces. No workspace can
   * prevent this by inviting or removing the user before.
   *
   * @param role undefined leaves the role of existing memberships unchanged; see `MembershipsService.admit`.
   * @throws {NotFoundError} if a workspace does not exist.
   */
  async create(email: string, workspaceIds: readonly string[], displayName?: string, role?: Role): Promise<User> {
    return this.database.transaction(async () => {
      const [[, id]] = [...(await this.repository.createAndLock([normalizeEmail(email)]))] as [[string, string]];
      for (const workspaceId of workspaceIds) {
        await this.workspaces.get(workspaceId);
        await this.memberships.admit(workspaceId, id, displayName, role);
      }
      return this.users.get(id);
    });
  }

  /** All users with their workspaces and roles. The display name is that of the oldest membership that has one. */
  async list(): Promise<(User & { displayName: string | null; workspaceIds: string[]; roles: Role[] })[]> {
    const memberships = await this.database
      .repository(Membership)
      .find({ where: ACCEPTED, order: { createdAt: 'ASC', workspaceId: 'ASC' } });
    const byUser = new Map<string, Membership[]>();
    for (const membership of memberships) byUser.set(membership.id, [...(byUser.get(membership.id) ?? []), membership]);
    const users = await this.database.repository(User).find({ order: { createdAt: 'ASC', id: 'ASC' } });
    return users.map((user) => {
      const own = (byUser.get(user.id) ?? []).toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
      const displayName = byUser.get(user.id)?.find((membership) => membership.displayName)?.displayName ?? null;
      const workspaceIds = own.map(({ workspaceId }) => workspaceId);
      return { ...user, displayName, workspaceIds, roles: own.map(({ role }) => role) };
    });
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
      const sessions = await this.users.revokeAccess(id);
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
      await this.users.getOrErased(id);
      await this.users.removeAccess(id);
      await this.memberships.deleteOf(id);
      await this.database.repository(User).delete({ id });
      await this.audit.record({ kind: 'user_deleted', userId: id });
    });
  }

  /** An erased user is unknown. */
  private async setStatus(id: string, status: UserStatus): Promise<void> {
    const { affected } = await this.database.repository(User).update({ id, status: Not('erased') }, { status });
    if (affected === 0) throw new NotFoundError(`The user ${id}`);
  }
}
