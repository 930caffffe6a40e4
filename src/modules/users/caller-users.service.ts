import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { DomainError, NotFoundError } from '../../platform/http/domain-error.js';
import type { Page } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import { createInBulk } from '../../records/bulk-create.js';
import type { BulkQueryDto } from '../../records/bulk-create.dto.js';
import { ArchivedError, ExternalIdTakenError } from '../../records/records.errors.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import type { Principal } from '../../platform/security/principal.js';
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { ChangeUserDto, CreateUserDto, ListUsersDto, MembershipQueryDto, UserDto } from './dto/user.dto.js';
import { type Enrolled, MembershipsService, isInvited } from './memberships.service.js';
import { MembershipsRepository, type SeenUser } from './memberships.repository.js';
import type { UserStatus } from './user.entity.js';
import { OwnAccessError, SharedUserError } from './users.errors.js';
import { UsersService } from './users.service.js';
import type { Membership } from './membership.entity.js';

/** Counts the sessions that live, by user; those who have none may be missing. */
type SessionCounter = (userIds: readonly string[]) => Promise<Map<string, number>>;

/** Users as callers know them: through the memberships of their own workspaces. */
@Injectable()
export class CallerUsersService {
  private countSessions: SessionCounter = () => Promise.resolve(new Map<string, number>());

  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly members: MembershipsRepository,
    private readonly enrolment: MembershipsService,
  ) {}

  /** The counter's figures are told with every user from now on. */
  register(counter: SessionCounter): void {
    this.countSessions = counter;
  }

  /**
   * Makes a user with this email a member; changes the member where there is one already.
   *
   * @throws {NotFoundError} where the workspace is not the caller's. @throws {ArchivedError | PlacedElsewhereError | PreconditionFailedError}
   */
  async create(caller: Principal, body: CreateUserDto, accepted: AcceptedVersions): Promise<UpsertResult<UserDto>> {
    const draft = draftOf(caller, body);
    const attempt = async () => {
      await this.requireSeen(caller, body.email, accepted);
      const [saved] = await this.enrolment.enrol([draft], caller);
      // Within the transaction: what was prepared goes too.
      if (saved instanceof DomainError) throw saved;
      return { ...saved!, record: await this.get(caller, saved!.record.id) };
    };
    return retryOnUniqueViolation(() => this.database.transaction(attempt));
  }

  /** @throws {InvalidItemsError} */
  createAll(caller: Principal, items: readonly object[], { onError }: BulkQueryDto) {
    return createInBulk<CreateUserDto, Membership>(this.database, {
      type: CreateUserDto,
      items,
      onError,
      toInput: (item) => Promise.resolve(draftOf(caller, item)),
      store: (drafts) => this.enrolment.enrol(drafts, caller),
    });
  }

  async list(caller: Principal, query: ListUsersDto): Promise<Page<UserDto>> {
    const page = await this.members.page(resolveWorkspaces(caller, query.workspaceId), query);
    return { ...page, items: await this.allShown(page.items) };
  }

  /** @throws {NotFoundError} where no workspace of the caller knows the user. */
  async get(caller: Principal, id: string, { workspaceId }: MembershipQueryDto = {}): Promise<UserDto> {
    return this.getSeen(resolveWorkspaces(caller, workspaceId), id);
  }

  /**
   * @throws {NotFoundError | PreconditionFailedError | ArchivedError | ExternalIdTakenError}
   * @throws {OwnAccessError | SharedUserError} where the status is not the caller's to change.
   */
  async change(
    caller: Principal,
    id: string,
    { workspaceId }: MembershipQueryDto,
    { status, ...values }: ChangeUserDto,
    accepted: AcceptedVersions,
  ): Promise<UserDto> {
    try {
      return await this.locked(resolveWorkspaces(caller, workspaceId), id, accepted, async (members) => {
        const open = members.filter(({ archivedAt }) => archivedAt === null);
        if (open.length === 0) throw new ArchivedError('The user');
        for (const member of open) await this.members.write(member, values, 'member_changed', caller);
        if (status) await this.setStatus(caller, id, status);
      });
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
      throw new ExternalIdTakenError('The user', values.externalId!);
    }
  }

  /**
   * Ends the memberships, or has them back. From the next request on, neither a session nor a key of the user reaches a
   * workspace where the membership has ended.
   *
   * @throws {NotFoundError | PreconditionFailedError | OwnAccessError}
   */
  async archive(
    caller: Principal,
    id: string,
    { workspaceId }: MembershipQueryDto,
    archived: boolean,
    accepted: AcceptedVersions,
  ): Promise<UserDto> {
    return this.locked(resolveWorkspaces(caller, workspaceId), id, accepted, async (members) => {
      const own = id === caller.userId;
      if (archived && own) await this.requireAnother(id, workspaceId);
      const invited = isInvited((await this.members.acceptedOf([id])).get(id), caller);
      for (const member of members) {
        if ((member.archivedAt !== null) === archived) continue;
        // Whoever left is asked again, and is not fetched back.
        const ended = { archivedAt: new Date(), ...(own ? { acceptedAt: null } : {}) };
        const begun = { archivedAt: null, acceptedAt: member.acceptedAt ?? (invited ? null : new Date()) };
        const kind = archived ? 'member_removed' : 'member_restored';
        await this.members.write(member, archived ? ended : begun, kind, caller);
      }
    });
  }

  /** Oneself leaves one workspace, and only where another remains. @throws {OwnAccessError} */
  private async requireAnother(id: string, workspaceId: string | undefined): Promise<void> {
    const accepted = await this.users.workspaceIdsOf(id);
    if (workspaceId === undefined || !accepted.some((each) => each !== workspaceId.toLowerCase()))
      throw new OwnAccessError();
  }

  private async setStatus(caller: Principal, id: string, status: UserStatus): Promise<void> {
    if ((await this.users.get(id)).status === status) return;
    if (id === caller.userId) throw new OwnAccessError();
    // Not those where the user is only invited, be they the caller's or of others.
    const accepted = await this.users.workspaceIdsOf(id);
    const isTheirs = accepted.length > 0 && accepted.every((each) => caller.workspaceIds.includes(each));
    if (!isTheirs) throw new SharedUserError();
    if (status === 'suspended') await this.users.suspend(id, caller.userId);
    else await this.users.activate(id, caller.userId);
  }

  /** Whatever is decided of one user is decided behind the user's lock, one after the other. */
  private locked(
    workspaceIds: readonly string[],
    id: string,
    accepted: AcceptedVersions,
    work: (members: Membership[]) => Promise<void>,
  ): Promise<UserDto> {
    return this.database.transaction(async () => {
      // Nobody holds up a user who is none of theirs.
      await this.getSeen(workspaceIds, id);
      await this.users.lock(id);
      requireVersion(await this.getSeen(workspaceIds, id), accepted);
      await work(await this.members.find({ workspaceId: In([...workspaceIds]), id }));
      return this.getSeen(workspaceIds, id);
    });
  }

  /** Whoever the caller's workspaces do not know is not there, whether others know the email or not. */
  private async requireSeen({ workspaceIds }: Principal, email: string, accepted: AcceptedVersions): Promise<void> {
    if (accepted === undefined) return;
    const user = await this.users.findByEmail(email);
    const isKnown = user && (await this.members.findSeen(workspaceIds, user.id));
    if (isKnown) await this.users.lock(user.id);
    requireVersion(isKnown ? await this.members.findSeen(workspaceIds, user.id) : undefined, accepted);
  }

  private async getSeen(workspaceIds: readonly string[], id: string): Promise<UserDto> {
    const user = await this.members.findSeen(workspaceIds, id);
    if (!user) throw new NotFoundError('The user');
    return (await this.allShown([user]))[0]!;
  }

  private async allShown(users: readonly SeenUser[]): Promise<UserDto[]> {
    const sessions = await this.countSessions(users.map(({ id }) => id));
    return users.map(({ accepted, ...user }) => ({ ...user, sessionCount: (accepted && sessions.get(user.id)) || 0 }));
  }
}

function draftOf(caller: Principal, { workspaceId, ...values }: CreateUserDto): RecordInput<Enrolled> {
  return { workspaceId: resolveTargetWorkspace(caller, workspaceId), values };
}
