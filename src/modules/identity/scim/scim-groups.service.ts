import { Injectable } from '@nestjs/common';
import { ArrayContains, In, IsNull } from 'typeorm';
import { NotFoundError } from '../../../../packages/errors/src/domain-error.js';
import { SQLSTATE, translateSqlState } from '../../../../packages/sql/src/sql-state.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import { Database } from '../../../platform/database/database.js';
import { validateDto } from '../../../platform/http/validation/validation.pipe.js';
import { ExternalId, Name } from '../../../records/record-fields.decorator.js';
import { AuditService } from '../../audit/audit.service.js';
import { MembershipsService } from '../../users/memberships.service.js';
import { UsersService } from '../../users/users.service.js';
import { mapGroups } from '../claim-mapping.js';
import { IssuersService } from '../issuers.service.js';
import { MappedMembershipsService } from '../mapped-memberships.service.js';
import { ScimGroup } from './scim-group.entity.js';
import { ScimError } from './scim.errors.js';
import { changeMembers, type MemberChange, UNKNOWN_MEMBER } from './scim-input.js';
import type { ScimCaller, ScimContext, ScimStore } from './scim-resources.js';

interface ScimGroupInput {
  displayName?: string;
  externalId?: string;
}

export const MAX_GROUPS = 1_000;
/** One request can contain them: a body has at most 10,000 objects. */
export const MAX_MEMBERS = 9_000;

/** A page with so many members ends. */
const MAX_PAGE_MEMBERS = 20_000;

/** Groups that are read with their members at a time. */
const READ_GROUPS = 20;

const OWN_ROLE = 'The user of the API key cannot lose the role owner by a group. Use the key of another owner.';

const ORDER = { createdAt: 'ASC', id: 'ASC' } as const;

class ScimGroupValues {
  @Name('Atrium.Editors')
  displayName: string;

  @ExternalId()
  externalId?: string | null;
}

/** Groups of an identity provider. The mappings of the trusted issuers determine what they permit. */
@Injectable()
export class ScimGroupsService implements ScimStore<ScimGroupInput> {
  constructor(
    private readonly database: Database,
    private readonly issuers: IssuersService,
    private readonly memberships: MembershipsService,
    private readonly mapped: MappedMembershipsService,
    private readonly users: UsersService,
    private readonly audit: AuditService,
  ) {}

  /** In a transaction, the group is locked until its end: a change reads it first. */
  async get({ workspaceId }: ScimCaller, id: string): Promise<object> {
    if (this.database.isInTransaction) return toScim(await this.getLocked(workspaceId, id));
    const group = await this.database.repository(ScimGroup).findOneBy({ workspaceId, id });
    if (!group) throw new NotFoundError('The group');
    return toScim(group);
  }

  async *list({ workspaceId }: ScimCaller, withMembers: boolean): AsyncIterable<object> {
    const groups = this.database.repository(ScimGroup);
    const take = withMembers ? READ_GROUPS : MAX_GROUPS;
    const select = { id: true, externalId: true, displayName: true, createdAt: true, updatedAt: true };
    for (let skip = 0; ; skip += take) {
      const found = await groups.find({
        select: { ...select, members: withMembers },
        where: { workspaceId },
        order: ORDER,
        skip,
        take,
      });
      for (const group of found)
        yield { ...toScim(group), members: withMembers ? group.members.map((value) => ({ value })) : undefined };
      if (found.length < take) return;
    }
  }

  /** The members of these groups in the order of `list`, until there are `MAX_PAGE_MEMBERS`. */
  async listMembers(workspaceId: string, ids: readonly string[]): Promise<Map<string, object[]>> {
    const found = new Map<string, object[]>();
    let count = 0;
    for (let at = 0; at < ids.length && count < MAX_PAGE_MEMBERS; at += READ_GROUPS) {
      const groups = await this.database.repository(ScimGroup).find({
        select: { id: true, members: true },
        where: { workspaceId, id: In(ids.slice(at, at + READ_GROUPS)) },
        order: ORDER,
      });
      for (const { id, members } of groups) {
        if (count < MAX_PAGE_MEMBERS)
          found.set(
            id,
            members.map((value) => ({ value, type: 'User' })),
          );
        count += members.length;
      }
    }
    return found;
  }

  /** @throws {ScimError | LastOwnerError | NotFoundError} */
  async changeMembers(scim: ScimCaller, id: string, changes: readonly MemberChange[]): Promise<void> {
    await this.database.transaction(async () => {
      const former = await this.getLocked(scim.workspaceId, id);
      await this.store(scim, former, { ...former, members: changeMembers(former.members, changes) });
    });
  }

  /** @throws {ScimError | LastOwnerError | NotFoundError} */
  async save(scim: ScimContext, id: string | undefined, input: ScimGroupInput): Promise<object> {
    const { workspaceId } = scim;
    const { displayName, externalId = null } = await validateDto(ScimGroupValues, {
      displayName: input.displayName,
      externalId: input.externalId ?? null,
    });
    const toTaken = () => new ScimError('uniqueness', 'The workspace has a group with this displayName already.');
    return this.database
      .transaction(async () => {
        const former = id === undefined ? null : await this.getLocked(workspaceId, id);
        if (former === null) await this.requireSpace(workspaceId);
        const members = [...new Set(scim.members ?? former?.members)];
        return toScim(await this.store(scim, former, { id: id ?? uuid(), displayName, externalId, members }));
      })
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  private async store(
    scim: ScimCaller,
    former: ScimGroup | null,
    values: Pick<ScimGroup, 'id' | 'displayName' | 'externalId' | 'members'>,
  ): Promise<ScimGroup> {
    const { workspaceId } = scim;
    const { displayName, members } = values;
    if (members.length > MAX_MEMBERS)
      throw new ScimError('invalidValue', `A group has at most ${MAX_MEMBERS} members, not ${members.length}.`);
    const isRenamed = former !== null && former.displayName !== displayName;
    const changed = isRenamed ? new Set([...former.members, ...members]) : differ(former?.members ?? [], members);
    const known = new Set(former?.members);
    await this.lockUsers(
      workspaceId,
      changed,
      members.filter((member) => !known.has(member)),
    );
    const repository = this.database.repository(ScimGroup);
    const stored = await repository.save(repository.create({ ...former, ...values, workspaceId }));
    await this.record(workspaceId, stored, former === null ? 'created' : 'changed');
    await this.applyTo(scim, changed);
    return stored;
  }

  /**
   * The lock of the oldest group serializes the transactions that call this, unless there is none.
   *
   * @throws {ScimError}
   */
  private async requireSpace(workspaceId: string): Promise<void> {
    const groups = this.database.repository(ScimGroup);
    const select = { id: true, createdAt: true };
    await groups.findOne({ select, where: { workspaceId }, order: ORDER, lock: { mode: 'for_no_key_update' } });
    if ((await groups.countBy({ workspaceId })) < MAX_GROUPS) return;
    const message = `The workspace has ${MAX_GROUPS} groups, as many as it can have. Assign fewer to the application.`;
    throw new ScimError('invalidValue', message);
  }

  /** @throws {ScimError | LastOwnerError | NotFoundError} */
  async remove(scim: ScimCaller, id: string): Promise<void> {
    const { workspaceId } = scim;
    await this.database.transaction(async () => {
      const group = await this.getLocked(workspaceId, id);
      await this.database.repository(ScimGroup).delete({ workspaceId, id });
      await this.record(workspaceId, group, 'deleted');
      await this.users.lock(...group.members);
      await this.applyTo(scim, group.members);
    });
  }

  private async getLocked(workspaceId: string, id: string): Promise<ScimGroup> {
    const lock = { mode: 'pessimistic_write' } as const;
    const group = await this.database.repository(ScimGroup).findOne({ where: { workspaceId, id }, lock });
    if (!group) throw new NotFoundError('The group');
    return group;
  }

  private record(workspaceId: string, { id, displayName, members }: ScimGroup, action: string): Promise<void> {
    const details = { group: { id, name: displayName }, action };
    return this.audit.record({ kind: 'group_changed', workspaceId, counts: { members: members.length }, details });
  }

  /** So that no added user is deleted before the group has the user as a member. @throws {ScimError} */
  private async lockUsers(workspaceId: string, changed: Iterable<string>, added: readonly string[]): Promise<void> {
    // Before the lock, so that a caller cannot delay users of other workspaces.
    await this.requireMembers(workspaceId, added);
    await this.users.lock(...changed);
    await this.requireMembers(workspaceId, added);
  }

  private async requireMembers(workspaceId: string, ids: readonly string[]): Promise<void> {
    const known = await this.memberships.find({ workspaceId, id: In(ids), archivedAt: IsNull() });
    if (known.length < ids.length) throw new ScimError('invalidValue', UNKNOWN_MEMBER);
  }

  /**
   * Sets role and policy of these locked users by all their groups, if a mapping names the workspace.
   *
   * @throws {LastOwnerError | ScimError} `mutability`, if the caller would no longer be an owner.
   */
  private async applyTo({ caller, workspaceId }: ScimCaller, userIds: Iterable<string>): Promise<void> {
    const mappings = (await this.issuers.list())
      .flatMap(({ claims }) => claims.memberships)
      .filter(({ workspace }) => workspace === workspaceId);
    if (mappings.length === 0) return;
    for (const id of userIds) {
      const groups = await this.database.repository(ScimGroup).findBy({ workspaceId, members: ArrayContains([id]) });
      const names = groups.map(({ displayName }) => displayName);
      const [mapped] = mapGroups({ memberships: mappings }, names);
      await this.mapped.apply(id, mapped!, caller);
      // Only owners may provision: all further requests with the key would be rejected.
      if (id === caller.userId && !(await this.users.isActiveOwner(workspaceId, id)))
        throw new ScimError('mutability', OWN_ROLE);
    }
  }
}

function differ(former: readonly string[], present: readonly string[]): Set<string> {
  const [before, after] = [new Set(former), new Set(present)];
  return new Set([...former, ...present].filter((id) => before.has(id) !== after.has(id)));
}

/** Without the members, as `scimmy` receives it. */
function toScim({ id, displayName, externalId, createdAt, updatedAt }: ScimGroup): object {
  return {
    id,
    externalId: externalId ?? undefined,
    displayName,
    meta: { resourceType: 'Group', created: createdAt, lastModified: updatedAt },
  };
}
