import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { uuid } from '../../platform/database/uuid.js';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { EventsService } from '../events/events.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { MemberJoinedDto } from './dto/member-events.dto.js';
import { Membership } from './membership.entity.js';
import { normalizeEmail, User, type UserStatus } from './user.entity.js';
import { EmailTakenError } from './users.errors.js';
import { UsersRepository } from './users.repository.js';

const ACCEPTED = { archivedAt: IsNull(), acceptedAt: Not(IsNull()) };

/** Revokes access of a user, in the transaction that suspends the user. Returns the number of sessions that it revoked. */
type AccessRevocation = (userId: string) => Promise<number>;

/** Users of the whole service, as the operator manages them. */
@Injectable()
export class UsersService {
  private readonly revocations: AccessRevocation[] = [];

  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
    private readonly events: EventsService,
  ) {}

  /** Registers what every later suspension revokes. */
  onSuspension(revoke: AccessRevocation): void {
    this.revocations.push(revoke);
  }

  /** Creates a user who is a member of the workspaces. @throws {EmailTakenError | NotFoundError} */
  async create(email: string, workspaceIds: readonly string[], displayName: string | null = null): Promise<User> {
    return this.database.transaction(async () => {
      if (await this.findByEmail(email)) throw new EmailTakenError(email);
      const users = this.database.repository(User);
      const user = await users.save(users.create({ id: uuid(), email: normalizeEmail(email), status: 'active' }));
      for (const workspaceId of workspaceIds) {
        await this.workspaces.get(workspaceId);
        const membership = { id: user.id, workspaceId, displayName, acceptedAt: new Date() };
        await this.database.repository(Membership).insert(membership);
        await this.events.record(workspaceId, MemberJoinedDto, { userId: user.id, workspaceId });
      }
      return user;
    });
  }

  /** All users with their workspaces. The display name is that of the oldest membership that has one. */
  async list(): Promise<(User & { displayName: string | null; workspaceIds: string[] })[]> {
    const memberships = await this.database
      .repository(Membership)
      .find({ where: ACCEPTED, order: { createdAt: 'ASC', workspaceId: 'ASC' } });
    const byUser = new Map<string, Membership[]>();
    for (const membership of memberships) byUser.set(membership.id, [...(byUser.get(membership.id) ?? []), membership]);
    const users = await this.database.repository(User).find({ order: { id: 'ASC' } });
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
   * Prevents sign-ins and the use of API keys, and revokes all sessions. A sign-in in progress waits and is rejected.
   *
   * @param by the calling user; null for the operator.
   * @returns the number of sessions that this revoked.
   * @throws {NotFoundError}
   */
  async suspend(id: string, by: string | null = null): Promise<number> {
    return this.database.transaction(async () => {
      await this.setStatus(id, 'suspended', by);
      let sessions = 0;
      for (const revoke of this.revocations) sessions += await revoke(id);
      await this.audit.record({ kind: 'user_suspended', userId: id, counts: { sessions } });
      return sessions;
    });
  }

  /** Allows sign-ins again; the API keys become valid again. @throws {NotFoundError} */
  async activate(id: string, by: string | null = null): Promise<void> {
    await this.database.transaction(async () => {
      await this.setStatus(id, 'active', by);
      await this.audit.record({ kind: 'user_activated', userId: id });
    });
  }

  /** The workspaces of which the user is a member, without invitations. */
  async findWorkspaceIds(userId: string): Promise<string[]> {
    const memberships = await this.database.repository(Membership).findBy({ id: userId, ...ACCEPTED });
    return memberships.map(({ workspaceId }) => workspaceId);
  }

  /** Locks the user until the transaction ends, for decisions that must be made one at a time per user. */
  lock(userId: string): Promise<void> {
    return this.repository.lock(userId);
  }

  private async setStatus(id: string, status: UserStatus, by: string | null): Promise<void> {
    const { affected } = await this.database.repository(User).update({ id }, { status });
    if (affected === 0) throw new NotFoundError(`The user ${id}`);
    // The status is part of the record that each workspace reads, so the version of each membership changes too.
    await this.database.repository(Membership).update({ id }, { updatedBy: by });
  }
}
