import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { normalEmail } from './email.js';
import type { UserAccess } from './user-access.js';
import { User, type UserStatus } from './user.entity.js';
import { EmailTakenError } from './users.errors.js';
import { Membership } from './membership.entity.js';

@Injectable()
export class UsersService {
  private readonly accesses: UserAccess[] = [];

  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
  ) {}

  /** The access is ended with every suspension from now on. */
  register(access: UserAccess): void {
    this.accesses.push(access);
  }

  /** Creates a user who is a member of the workspaces. @throws {EmailTakenError | NotFoundError} */
  async create(email: string, workspaceIds: readonly string[], displayName?: string): Promise<User> {
    return this.database.transaction(async () => {
      if (await this.findByEmail(email)) throw new EmailTakenError(email);
      const { manager } = this.database;
      const user = await manager.save(
        manager.create(User, {
          id: uuid(),
          email: normalEmail(email),
          status: 'active',
        }),
      );
      for (const workspaceId of workspaceIds) await this.addToWorkspace(user.id, workspaceId, displayName ?? null);
      return user;
    });
  }

  /** All users, each with the workspaces the user is a member of, and the name that the first to have one gave. */
  async list(): Promise<(User & { displayName: string | null; workspaceIds: string[] })[]> {
    const { manager } = this.database;
    const members = await manager.find(Membership, {
      where: { archivedAt: IsNull(), acceptedAt: Not(IsNull()) },
      order: { createdAt: 'ASC', workspaceId: 'ASC' },
    });
    const byUser = new Map<string, Membership[]>();
    for (const member of members) byUser.set(member.id, [...(byUser.get(member.id) ?? []), member]);
    const users = await manager.find(User, { order: { id: 'ASC' } });
    return users.map((user) => {
      const own = byUser.get(user.id) ?? [];
      const displayName = own.find((member) => member.displayName)?.displayName ?? null;
      return { ...user, displayName, workspaceIds: own.map(({ workspaceId }) => workspaceId).sort() };
    });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.manager.findOneBy(User, { email: normalEmail(email) });
  }

  /** @throws {NotFoundError} */
  async get(id: string): Promise<User> {
    const user = await this.database.manager.findOneBy(User, { id });
    if (!user) throw new NotFoundError(`The user ${id}`);
    return user;
  }

  /**
   * The user can no longer sign in or use a key, and all sessions end; a sign-in under way waits, and is refused.
   *
   * @param by the caller, where it is not the operator. @returns how many sessions this ended. @throws {NotFoundError}
   */
  async suspend(id: string, by: string | null = null): Promise<number> {
    return this.database.transaction(async () => {
      await this.setStatus(id, 'suspended', by);
      let sessions = 0;
      for (const access of this.accesses) sessions += await access.end(id);
      await this.audit.record({ kind: 'user_suspended', userId: id, counts: { sessions } });
      return sessions;
    });
  }

  /** The user may sign in again, and the API keys work again. @throws {NotFoundError} */
  async activate(id: string, by: string | null = null): Promise<void> {
    await this.database.transaction(async () => {
      await this.setStatus(id, 'active', by);
      await this.audit.record({ kind: 'user_activated', userId: id });
    });
  }

  /** The workspaces that the user is a member of, without those that it is invited to. */
  async workspaceIdsOf(userId: string): Promise<string[]> {
    const where = { id: userId, archivedAt: IsNull(), acceptedAt: Not(IsNull()) };
    const members = await this.database.manager.findBy(Membership, where);
    return members.map((member) => member.workspaceId);
  }

  /** Locks the user's row until the transaction ends: what must be decided for one user at a time is decided behind it. */
  async lock(userId: string): Promise<void> {
    await this.database.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  }

  async recordLogin(userId: string): Promise<void> {
    await this.database.query('UPDATE users SET last_login_at = now() WHERE id = $1', [userId]);
  }

  private async setStatus(id: string, status: UserStatus, by: string | null): Promise<void> {
    const updated = await this.database.affected(
      'UPDATE users SET status = $2, version = version + 1, updated_at = now() WHERE id = $1',
      [id, status],
    );
    if (updated === 0) throw new NotFoundError(`The user ${id}`);
    // The status is part of what each of the workspaces reads.
    await this.database.affected(
      'UPDATE workspace_members SET version = version + 1, updated_at = now(), updated_by = $2 WHERE user_id = $1',
      [id, by],
    );
  }

  private async addToWorkspace(id: string, workspaceId: string, displayName: string | null): Promise<void> {
    await this.workspaces.get(workspaceId);
    await this.database.manager.insert(Membership, { id, workspaceId, displayName, acceptedAt: new Date() });
  }
}
