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
import { ScimGroup } from './scim-group.entity.js';
import { ScimError, UnknownMemberError } from './scim.errors.js';
import type { ScimCaller, ScimStore } from './scim-resources.js';

interface ScimGroupInput {
  displayName?: string;
  externalId?: string;
  members?: { value: string }[];
}

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

  async list({ workspaceId }: ScimCaller): Promise<object[]> {
    const groups = await this.database
      .repository(ScimGroup)
      .find({ where: { workspaceId }, order: { createdAt: 'ASC', id: 'ASC' } });
    return groups.map(toScim);
  }

  /** @throws {ScimError | LastOwnerError | NotFoundError} */
  async save(scim: ScimCaller, id: string | undefined, input: ScimGroupInput): Promise<object> {
    const { workspaceId } = scim;
    const { displayName, externalId = null } = await validateDto(ScimGroupValues, {
      displayName: input.displayName,
      externalId: input.externalId ?? null,
    });
    const members = [...new Set((input.members ?? []).map(({ value }) => value))];
    const toTaken = () => new ScimError('uniqueness', 'The workspace has a group with this displayName already.');
    return this.database
      .transaction(async () => {
        const repository = this.database.repository(ScimGroup);
        const former = id === undefined ? null : await this.getLocked(workspaceId, id);
        const isRenamed = former !== null && former.displayName !== displayName;
        const changed = isRenamed ? new Set([...former.members, ...members]) : differ(former?.members ?? [], members);
        const known = new Set(former?.members);
        await this.lockUsers(
          workspaceId,
          changed,
          members.filter((member) => !known.has(member)),
        );
        const group = repository.create({ ...former, workspaceId, id: id ?? uuid(), displayName, externalId, members });
        const stored = await repository.save(group);
        await this.record(workspaceId, stored, former === null ? 'created' : 'changed');
        await this.applyTo(scim, changed);
        return toScim(stored);
      })
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  /** @throws {LastOwnerError | NotFoundError} */
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

  /** So that no added user is deleted before the group has the user as a member. @throws {UnknownMemberError} */
  private async lockUsers(workspaceId: string, changed: Iterable<string>, added: readonly string[]): Promise<void> {
    // Before the lock, so that a caller cannot delay users of other workspaces.
    await this.requireMembers(workspaceId, added);
    await this.users.lock(...changed);
    await this.requireMembers(workspaceId, added);
  }

  private async requireMembers(workspaceId: string, ids: readonly string[]): Promise<void> {
    const known = await this.memberships.find({ workspaceId, id: In(ids), archivedAt: IsNull() });
    if (known.length < ids.length) throw new UnknownMemberError();
  }

  /** Sets role and policy of these locked users by all their groups, if a mapping names the workspace. */
  private async applyTo({ caller, workspaceId }: ScimCaller, userIds: Iterable<string>): Promise<void> {
    const mappings = (await this.issuers.list())
      .flatMap(({ claims }) => claims.memberships)
      .filter(({ workspace }) => workspace === workspaceId);
    if (mappings.length === 0) return;
    for (const id of userIds) {
      const [membership] = await this.memberships.find({ workspaceId, id, archivedAt: IsNull() });
      if (!membership) continue;
      const groups = await this.database.repository(ScimGroup).findBy({ workspaceId, members: ArrayContains([id]) });
      const names = groups.map(({ displayName }) => displayName);
      const [mapped] = mapGroups({ memberships: mappings }, names);
      const { role, policyId } = mapped!;
      const values = policyId === undefined ? { role } : { role, policyId };
      await this.memberships.change(membership, values, 'member_changed', caller);
    }
  }
}

function differ(former: readonly string[], present: readonly string[]): Set<string> {
  const [before, after] = [new Set(former), new Set(present)];
  return new Set([...former, ...present].filter((id) => before.has(id) !== after.has(id)));
}

function toScim({ id, displayName, externalId, members, createdAt, updatedAt }: ScimGroup): object {
  return {
    id,
    externalId: externalId ?? undefined,
    displayName,
    members: members.map((value) => ({ value, type: 'User' })),
    meta: { resourceType: 'Group', created: createdAt, lastModified: updatedAt },
  };
}
