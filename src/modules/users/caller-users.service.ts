import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { type AcceptedVersions, requireVersion } from '../../platform/http/conditional-requests.js';
import type { Principal } from '../../platform/security/principal.js';
import {
  requirePermitted,
  resolveTargetWorkspace,
  resolveWorkspaces,
} from '../../platform/security/workspace-access.js';
import { createInBulk } from '../../records/bulk-create.js';
import type { BulkCreateQueryDto } from '../../records/bulk-create.dto.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import { ArchivedError, ExternalIdTakenError } from '../../records/records.errors.js';
import { retryOnUniqueViolation } from '../../records/records.js';
import { ChangeUserDto, CreateUserDto, ListUsersDto, MembershipQueryDto, UserDto } from './dto/user.dto.js';
import type { Membership } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { type MembershipByEmail, MembershipsService } from './memberships.service.js';
import { USER_ERRORS } from './users.errors.js';
import { UsersService } from './users.service.js';

/** The users of the caller's workspaces, as their memberships describe them. */
@Injectable()
export class CallerUsersService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly views: MembershipsRepository,
    private readonly memberships: MembershipsService,
  ) {}

  /**
   * Invites the user with this email address to a workspace, or changes the existing membership.
   *
   * @throws {NotFoundError} if the workspace is not one of the caller's.
   * @throws {ArchivedError | ParentImmutableError | PreconditionFailedError | LastOwnerError}
   */
  async create(caller: Principal, body: CreateUserDto, accepted: AcceptedVersions): Promise<UpsertResult<UserDto>> {
    const draft = toDraft(caller, body);
    const attempt = async () => {
      await this.requireAcceptedVersion(caller, body.email, accepted);
      const [result] = await this.memberships.invite([draft], caller);
      // Thrown inside the transaction, so that a created user is rolled back.
      if (result instanceof DomainError) throw result;
      return { ...result!, record: await this.get(caller, result!.record.id) };
    };
    return retryOnUniqueViolation(() => this.database.transaction(attempt));
  }

  /** @throws {DomainError} `invalid_items` */
  createAll(caller: Principal, items: readonly object[], query: BulkCreateQueryDto) {
    return createInBulk<CreateUserDto, Membership>(this.database, {
      type: CreateUserDto,
      items,
      query,
      toInput: (item) => Promise.resolve(toDraft(caller, item)),
      store: (drafts) => this.memberships.invite(drafts, caller),
    });
  }

  async list(caller: Principal, query: ListUsersDto): Promise<Page<UserDto>> {
    return this.views.findPage(resolveWorkspaces(caller, query.workspaceId), query);
  }

  /** @throws {NotFoundError} if the user is not a member of a workspace of the caller. */
  async get(caller: Principal, id: string, { workspaceId }: MembershipQueryDto = {}): Promise<UserDto> {
    return this.getView(resolveWorkspaces(caller, workspaceId), id);
  }

  /**
   * Changes the memberships. A suspension takes effect with the next request of every session and API key of the user.
   * Of memberships that are all archived, only the policy can be changed: one that was deleted prevents the return.
   *
   * @throws {NotFoundError | PreconditionFailedError | ArchivedError | ExternalIdTakenError}
   * @throws {LastOwnerError | DomainError} `own_access`
   */
  async change(
    caller: Principal,
    id: string,
    { workspaceId }: MembershipQueryDto,
    values: ChangeUserDto,
    accepted: AcceptedVersions,
  ): Promise<UserDto> {
    const toTaken = () => new ExternalIdTakenError('The user', values.externalId!);
    return this.changeLocked(caller, workspaceId, id, accepted, async (memberships) => {
      const open = memberships.filter(({ archivedAt }) => archivedAt === null);
      if (open.length === 0 && !isPolicyOnly(values)) throw new ArchivedError('The user');
      if (values.status === 'suspended' && id === caller.userId) throw new DomainError(USER_ERRORS.own_access);
      for (const membership of open.length === 0 ? memberships : open)
        await this.memberships.change(membership, values, 'member_changed', caller);
    }).catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  /**
   * Archives or restores the memberships. This takes effect with the next request of every session and API key of the
   * user.
   *
   * @throws {NotFoundError | PreconditionFailedError | LastOwnerError | DomainError} `own_access`
   */
  async archive(
    caller: Principal,
    id: string,
    { workspaceId }: MembershipQueryDto,
    archived: boolean,
    accepted: AcceptedVersions,
  ): Promise<UserDto> {
    return this.changeLocked(caller, workspaceId, id, accepted, async (memberships) => {
      const isCaller = id === caller.userId;
      if (archived && isCaller) await this.requireOtherWorkspace(id, workspaceId);
      for (const membership of memberships) {
        if ((membership.archivedAt !== null) === archived) continue;
        // A user who left must accept again, so the acceptance is removed too.
        const ended = { archivedAt: new Date(), ...(isCaller ? { acceptedAt: null } : {}) };
        const kind = archived ? 'member_removed' : 'member_restored';
        await this.memberships.change(membership, archived ? ended : { archivedAt: null }, kind, caller);
      }
    });
  }

  /** Callers may leave one workspace if they are a member of another one. @throws {DomainError} `own_access` */
  private async requireOtherWorkspace(id: string, workspaceId: string | undefined): Promise<void> {
    const workspaceIds = await this.users.findWorkspaceIds(id);
    if (workspaceId === undefined || !workspaceIds.some((other) => other !== workspaceId.toLowerCase()))
      throw new DomainError(USER_ERRORS.own_access);
  }

  /** Changes the memberships of one user, one request at a time. An erased user is unknown. */
  private changeLocked(
    caller: Principal,
    workspaceId: string | undefined,
    id: string,
    accepted: AcceptedVersions,
    change: (memberships: Membership[]) => Promise<void>,
  ): Promise<UserDto> {
    const workspaceIds = resolveWorkspaces(caller, workspaceId);
    return this.database.transaction(async () => {
      // Before the lock, so that a caller cannot delay users of other workspaces.
      if (workspaceId === undefined) await this.requirePermittedUser(caller, id);
      await this.getView(workspaceIds, id);
      await this.users.lock(id);
      await this.users.get(id);
      requireVersion(await this.getView(workspaceIds, id), accepted);
      const memberships = await this.memberships.find({ workspaceId: In([...workspaceIds]), id });
      // In one order, because the owners of each workspace may be locked.
      await change(memberships.toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1)));
      return this.getView(workspaceIds, id);
    });
  }

  /** A user whom the caller's workspaces do not know counts as absent, whether the email address exists or not. */
  private async requireAcceptedVersion(
    { workspaceIds }: Principal,
    email: string,
    accepted: AcceptedVersions,
  ): Promise<void> {
    if (accepted === undefined) return;
    const id = await this.views.findUserId(workspaceIds, email);
    if (id !== undefined) await this.users.lock(id);
    requireVersion(id === undefined ? undefined : await this.views.findUser(workspaceIds, id), accepted);
  }

  private async getView(workspaceIds: readonly string[], id: string): Promise<UserDto> {
    const user = await this.views.findUser(workspaceIds, id);
    if (!user) throw new NotFoundError('The user');
    return user;
  }

  /** @throws {DomainError} 403 if only workspaces in which the caller is not permitted to do this know the user. */
  private async requirePermittedUser({ workspaceIds, rejected }: Principal, id: string): Promise<void> {
    if (!rejected || (await this.views.findUser(workspaceIds, id))) return;
    const user = await this.views.findUser([...rejected.keys()], id);
    if (user) requirePermitted({ rejected }, user.memberships[0]!.workspaceId);
  }
}

function isPolicyOnly({ policyId, ...others }: ChangeUserDto): boolean {
  const isSent = (value: unknown) => value !== undefined;
  return isSent(policyId) && !Object.values(others).some(isSent);
}

function toDraft(caller: Principal, { workspaceId, ...values }: CreateUserDto): RecordInput<MembershipByEmail> {
  return { workspaceId: resolveTargetWorkspace(caller, workspaceId), values };
}
