import { Injectable } from '@nestjs/common';
import { ArrayContains, IsNull, Not } from 'typeorm';
import { DomainError, NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { SQLSTATE, sqlState } from '../../../../packages/sql/src/sql-state.js';
import { Database } from '../../../platform/database/database.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { ExternalId, OptionalText } from '../../../records/record-fields.decorator.js';
import { ExternalIdTakenError, ParentImmutableError } from '../../../records/records.errors.js';
import { ApiKeysService } from '../../auth/api-keys.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { CallerUsersService } from '../../users/caller-users.service.js';
import { MembershipsService } from '../../users/memberships.service.js';
import { Email, normalizeEmail } from '../../../platform/http/validation/email.decorator.js';
import { UsersService } from '../../users/users.service.js';
import { ScimAddressesService } from './scim-addresses.service.js';
import { ScimGroup } from './scim-group.entity.js';
import { ScimError } from './scim.errors.js';
import type { ScimCaller, ScimStore } from './scim-resources.js';

interface ScimUser {
  userName?: string;
  externalId?: string;
  displayName?: string;
  name?: { formatted?: string; givenName?: string; familyName?: string };
  active?: boolean;
}

type UserView = Awaited<ReturnType<CallerUsersService['get']>>;

/** What a new name must be. The operator may have created users with others. */
class ScimUserName {
  @Email()
  userName: string;
}

/** What else a SCIM user may contain. */
class ScimUserValues {
  @OptionalText({ maxLength: 255, example: 'Ada Lovelace' })
  displayName?: string | null;

  @ExternalId()
  externalId?: string | null;
}

/** A SCIM user is a membership: `userName` is the email address of its user. */
@Injectable()
export class ScimUsersService implements ScimStore<ScimUser> {
  constructor(
    private readonly database: Database,
    private readonly callerUsers: CallerUsersService,
    private readonly users: UsersService,
    private readonly memberships: MembershipsService,
    private readonly apiKeys: ApiKeysService,
    private readonly sessions: SessionsService,
    private readonly addresses: ScimAddressesService,
  ) {}

  /** In a transaction, the user is locked until its end: a change reads it first. */
  async get(scim: ScimCaller, id: string): Promise<object> {
    // Before the lock, so that a caller cannot delay users of other workspaces.
    const user = await this.getView(scim, id);
    if (!this.database.isInTransaction) return toScim(user);
    await this.users.lock(id);
    return toScim(await this.getView(scim, id));
  }

  async *list({ caller, workspaceId }: ScimCaller): AsyncIterable<object> {
    let cursor: string | undefined;
    do {
      const page = await this.callerUsers.list(caller, { ...LIST, workspaceId, cursor });
      yield* page.items.map(toScim);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async save(scim: ScimCaller, id: string | undefined, user: ScimUser): Promise<object> {
    const values = await validateDto(ScimUserValues, {
      displayName: user.displayName ?? toName(user.name),
      externalId: user.externalId ?? null,
    });
    const userName = normalizeEmail(user.userName ?? '');
    const former = id === undefined ? undefined : (await this.getView(scim, id)).email;
    if (userName !== former) await validateDto(ScimUserName, { userName });
    if (values.externalId) await this.releaseExternalId(scim, values.externalId, userName);
    const userId = id ?? (await this.create(scim, { ...values, email: userName }).catch(rejectTaken));
    if (former !== undefined && userName !== former) await this.addresses.change(scim, userId, former, userName);
    const { caller, workspaceId } = scim;
    const { displayName = null, externalId = null } = values;
    const change: Parameters<CallerUsersService['change']>[3] = { displayName, externalId };
    // A deleted user who is created again has the role of a new one.
    if (id === undefined) change.role = 'reader';
    if (id === undefined || user.active !== undefined) change.status = user.active === false ? 'suspended' : 'active';
    if (change.status === 'suspended') requireOther(caller, userId);
    const changed = await this.callerUsers
      .change(caller, userId, { workspaceId }, change, undefined)
      .catch(rejectTaken);
    if (change.status === 'suspended') await this.endAccess(workspaceId, userId);
    return toScim(changed);
  }

  async remove({ caller, workspaceId }: ScimCaller, id: string): Promise<void> {
    // Before the user is locked: changes of groups lock them in this order.
    await this.leaveGroups(workspaceId, id);
    await this.get({ caller, workspaceId }, id);
    requireOther(caller, id);
    await this.callerUsers.archive(caller, id, { workspaceId }, true, undefined);
    await this.leaveGroups(workspaceId, id);
    await this.endAccess(workspaceId, id);
  }

  /**
   * Adds the user as a reader. If the operator has added an issuer with the domain of the email address and a
   * mapping to the workspace, the user is a member immediately; otherwise the user is invited and decides.
   */
  private async create(scim: ScimCaller, values: ScimUserValues & { email: string }): Promise<string> {
    const { caller, workspaceId } = scim;
    const { email } = values;
    const found = (await this.callerUsers.list(caller, { ...LIST, archived: 'all', workspaceId, q: email })).items;
    const existing = found.find((user) => user.email === email);
    const id = existing ? await this.restore(scim, existing) : await this.invite(scim, values);
    const isTrusted = (await this.addresses.findIssuers(workspaceId, [email])).length > 0;
    const [membership] = await this.memberships.find({ workspaceId, id });
    if (isTrusted && membership && !membership.acceptedAt)
      await this.memberships.change(membership, { acceptedAt: new Date() }, 'member_admitted', caller);
    return id;
  }

  /** @throws {ScimError} if the membership has not ended, or another request has restored it. */
  private async restore({ caller, workspaceId }: ScimCaller, { id, archivedAt }: UserView): Promise<string> {
    if (!archivedAt) throw new ScimError('uniqueness', EXISTS);
    // Those that the user had before another caller ended the membership.
    await this.leaveGroups(workspaceId, id);
    await this.users.lock(id);
    if (!(await this.callerUsers.get(caller, id, { workspaceId })).archivedAt)
      throw new ScimError('uniqueness', EXISTS);
    await this.callerUsers.archive(caller, id, { workspaceId }, false, undefined);
    return id;
  }

  /** @throws {ScimError | DomainError} if another request has added the user: this one then changes nothing. */
  private async invite({ caller, workspaceId }: ScimCaller, values: ScimUserValues & { email: string }) {
    const [result] = await this.memberships.invite([{ workspaceId, values: { ...values, role: 'reader' } }], caller);
    if (result instanceof DomainError) throw result;
    if (!result!.created) throw new ScimError('uniqueness', EXISTS);
    return result!.record.id;
  }

  /** For SCIM, an archived user does not exist, so another user may have its `externalId`. */
  private async releaseExternalId({ caller, workspaceId }: ScimCaller, externalId: string, userName: string) {
    const where = { workspaceId, externalId, archivedAt: Not(IsNull()) };
    const [archived] = await this.memberships.find(where);
    if (!archived || archived.id === (await this.users.findByEmail(userName))?.id) return;
    await this.users.lock(archived.id);
    // Unless the user was restored before the lock.
    for (const membership of await this.memberships.find(where))
      await this.memberships.change(membership, { externalId: null }, 'member_changed', caller);
  }

  private async getView({ caller, workspaceId }: ScimCaller, id: string): Promise<UserView> {
    const user = await this.callerUsers.get(caller, id, { workspaceId });
    // Without archived ones, which SCIM has deleted.
    if (user.archivedAt) throw new NotFoundError('The user');
    return user;
  }

  private async leaveGroups(workspaceId: string, userId: string): Promise<void> {
    const groups = this.database.repository(ScimGroup);
    const where = { workspaceId, members: ArrayContains([userId]) };
    const lock = { mode: 'pessimistic_write' } as const;
    for (const group of await groups.find({ where, order: { id: 'ASC' }, lock }))
      await groups.save({ ...group, members: group.members.filter((member) => member !== userId) });
  }

  /** Revokes the keys of the workspace, and the sessions of a person who has no other workspace. */
  private async endAccess(workspaceId: string, userId: string): Promise<void> {
    await this.apiKeys.revokeOf(workspaceId, userId);
    if ((await this.users.findWorkspaceIds(userId)).length === 0)
      await this.sessions.revokeAll('user_suspended', { userId });
  }
}

const EXISTS = 'The workspace has a user with this userName already.';

const LIST = { limit: 1_000, archived: 'false' } as const;

/** @throws {ScimError} */
function requireOther(caller: ScimCaller['caller'], id: string): void {
  if (id !== caller.userId) return;
  throw new ScimError('mutability', 'The user of the API key cannot end itself. Use the key of another owner.');
}

function rejectTaken(error: unknown): never {
  const isTaken =
    error instanceof ExternalIdTakenError ||
    error instanceof ParentImmutableError ||
    // Another request has stored it meanwhile.
    sqlState(error) === SQLSTATE.uniqueViolation;
  throw isTaken ? new ScimError('uniqueness', 'Another user of the workspace has this externalId.') : error;
}

function toName({ formatted, givenName, familyName }: NonNullable<ScimUser['name']> = {}): string | null {
  return formatted ?? ([givenName, familyName].filter(Boolean).join(' ') || null);
}

function toScim({ id, email, externalId, displayName, status, createdAt, updatedAt }: UserView): object {
  return {
    id,
    externalId: externalId ?? undefined,
    userName: email,
    displayName: displayName ?? undefined,
    emails: [{ value: email, type: 'work', primary: true }],
    active: status === 'active',
    meta: { resourceType: 'User', created: createdAt, lastModified: updatedAt },
  };
}
