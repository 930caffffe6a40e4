import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { DomainError } from '../../../packages/errors/src/domain-error.js';
import { DEFAULT_ROLE, type Role } from '../../platform/security/roles.js';
import { type Actor, pickChanges, type RecordInput, type UpsertResult } from '../../records/record-values.js';
import { ArchivedError, ParentImmutableError } from '../../records/records.errors.js';
import { PolicyNotAssignableError } from '../access-policies/access-policies.errors.js';
import { AccessPoliciesService } from '../access-policies/access-policies.service.js';
import { AuditService } from '../audit/audit.service.js';
import { EventsService } from '../events/events.service.js';
import { MemberInvitedDto, MemberJoinedDto, MemberRemovedDto } from './dto/member-events.dto.js';
import { isActiveOwner, Membership, toPeriods } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { DuplicateEmailError, LastOwnerError } from './users.errors.js';
import { UsersRepository } from './users.repository.js';

/** The membership of a user who is identified by email address. */
export type MembershipByEmail = Membership & { email: string };

type MembershipDraft = RecordInput<MembershipByEmail>;
type AddResult = UpsertResult<Membership> | DomainError;

/** What the audit log records about memberships. */
type MembershipEventKind =
  | 'member_added'
  | 'member_changed'
  | 'member_removed'
  | 'member_restored'
  | 'member_admitted'
  | 'invitation_accepted'
  | 'invitation_declined';

const EVENTS: Partial<Record<MembershipEventKind, typeof MemberInvitedDto>> = {
  member_restored: MemberInvitedDto,
  member_admitted: MemberJoinedDto,
  invitation_accepted: MemberJoinedDto,
  member_removed: MemberRemovedDto,
  invitation_declined: MemberRemovedDto,
};

/** Who changes a membership: a caller, the operator, or the service by the groups of a token. */
interface MembershipActor extends Actor {
  /** The URL of the issuer of the token. */
  issuer?: string;
}

const OPERATOR: Actor = { userId: null };

/** Adds and changes memberships. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly database: Database,
    private readonly memberships: MembershipsRepository,
    private readonly users: UsersRepository,
    private readonly audit: AuditService,
    private readonly events: EventsService,
    private readonly policies: AccessPoliciesService,
  ) {
    for (const dto of [MemberInvitedDto, MemberJoinedDto, MemberRemovedDto]) this.events.restrict(dto);
  }

  /** The oldest first. */
  find(where: FindOptionsWhere<Membership>): Promise<Membership[]> {
    return this.database.repository(Membership).find({ where, order: { createdAt: 'ASC', workspaceId: 'ASC' } });
  }

  /**
   * Invites users to workspaces by email address, and changes existing members. A user whom no workspace knows is
   * created, and invited as any other, so the result reveals nothing about other workspaces. Memberships of other
   * workspaces do not change.
   *
   * @returns per draft the membership, or the reason for its rejection.
   */
  invite(drafts: readonly MembershipDraft[], caller: Actor): Promise<AddResult[]> {
    return this.database.transaction(async () => {
      // Before any user is created.
      const rejections = await this.findRejections(drafts);
      const accepted = drafts.filter((draft) => !rejections.has(draft));
      const userIds = await this.users.createAndLock(accepted.map(getEmail));
      const existing = await this.findExisting(accepted, [...userIds.values()]);
      const results: AddResult[] = [];
      for (const draft of drafts) {
        const rejection = rejections.get(draft);
        if (rejection) {
          results.push(rejection);
          continue;
        }
        const { email, ...values } = draft.values;
        const key = { workspaceId: draft.workspaceId, id: userIds.get(email!)! };
        const membership = existing.get(toMapKey(key));
        if (membership) results.push(await this.changeExisting(membership, values, caller));
        else {
          const record = this.create({ ...values, ...key, acceptedAt: null }, caller);
          results.push({ record, created: true, changed: false });
        }
      }
      await this.insert(results.flatMap((result) => ('created' in result && result.created ? [result.record] : [])));
      return results;
    });
  }

  /**
   * Makes the user a member on behalf of the operator, without consent: also if the workspace has invited or removed
   * the user before. A membership that the workspace has suspended stays suspended.
   *
   * @param displayName undefined leaves the name of an existing membership unchanged.
   * @param role undefined leaves the role of an existing membership unchanged; a new member is an owner if the
   *   workspace has none.
   */
  async admit(workspaceId: string, id: string, displayName: string | undefined, role: Role | undefined): Promise<void> {
    const [membership] = await this.find({ workspaceId, id });
    if (!membership) {
      const hasOwner = (await this.memberships.lockOwners(workspaceId)).length > 0;
      const values = { workspaceId, id, displayName, role: role ?? (hasOwner ? DEFAULT_ROLE : 'owner') };
      await this.insert([this.create({ ...values, acceptedAt: new Date() }, OPERATOR)]);
      return;
    }
    await this.change(membership, { displayName, role }, 'member_changed', OPERATOR);
    const admitted = { archivedAt: null, acceptedAt: membership.acceptedAt ?? new Date() };
    await this.change(membership, admitted, 'member_admitted', OPERATOR);
  }

  /** Ends and deletes all memberships of the user on behalf of the operator. */
  async deleteOf(id: string): Promise<void> {
    for (const membership of await this.find({ id, archivedAt: IsNull() }))
      await this.change(membership, { archivedAt: new Date() }, 'member_removed', OPERATOR);
    await this.database.repository(Membership).delete({ id });
  }

  /**
   * Changes the membership and records the event, unless all values are unchanged. Only the operator can end the
   * access of the last owner. An archived membership may have a policy that was deleted, but cannot return with it:
   * the member would have more access than before.
   *
   * @throws {LastOwnerError | PolicyNotAssignableError}
   */
  async change(
    membership: Membership,
    values: Partial<Membership>,
    kind: MembershipEventKind,
    actor: MembershipActor,
  ): Promise<void> {
    const changed = pickChanges(membership, values);
    const fields = Object.keys(changed);
    if (fields.length === 0) return;
    const next = { ...membership, ...changed };
    if (next.archivedAt === null || 'policyId' in changed) await this.requirePolicy(membership.workspaceId, next);
    if (actor !== OPERATOR) await this.requireOtherOwner(membership, changed);
    const stored = { ...changed, periods: toPeriods(next), updatedBy: actor.userId };
    await this.database.repository(Membership).save(Object.assign(membership, stored));
    const reason = kind === 'member_changed' ? describeChange(fields, membership) : null;
    const { id: userId, workspaceId } = membership;
    const details = actor.issuer === undefined ? null : { issuer: actor.issuer };
    await this.audit.record({ kind, userId, workspaceId, reason, details });
    const event = EVENTS[kind];
    if (event) await this.events.record(workspaceId, event, { userId, workspaceId });
  }

  private async requireOtherOwner(membership: Membership, changed: Partial<Membership>): Promise<void> {
    if (!isActiveOwner(membership) || isActiveOwner({ ...membership, ...changed })) return;
    const owners = await this.memberships.lockOwners(membership.workspaceId);
    if (!owners.some((id) => id !== membership.id)) throw new LastOwnerError();
  }

  /** @throws {PolicyNotAssignableError} if the policy does not exist, or the member is an owner. */
  private async requirePolicy(workspaceId: string, { role, policyId }: Partial<Membership>): Promise<void> {
    if (policyId === null || policyId === undefined) return;
    if (role === 'owner') throw new PolicyNotAssignableError();
    await this.policies.requireAssignable(workspaceId, policyId);
  }

  private async changeExisting(membership: Membership, values: Partial<Membership>, caller: Actor): Promise<AddResult> {
    if (membership.archivedAt) return new ArchivedError('The user');
    const { version } = membership;
    try {
      await this.change(membership, values, 'member_changed', caller);
    } catch (error) {
      // Thrown before the write, so the transaction can continue.
      if (error instanceof LastOwnerError || error instanceof PolicyNotAssignableError) return error;
      throw error;
    }
    return { record: membership, created: false, changed: membership.version > version };
  }

  private create(values: Partial<Membership>, { userId }: Actor): Membership {
    const { displayName = null, externalId = null, role = DEFAULT_ROLE, policyId = null, ...rest } = values;
    const added = { periods: toPeriods(values), createdBy: userId, updatedBy: userId };
    return this.database.repository(Membership).create({ ...rest, displayName, externalId, role, policyId, ...added });
  }

  private async insert(memberships: Membership[]): Promise<void> {
    if (memberships.length === 0) return;
    await this.database.repository(Membership).createQueryBuilder().insert().values(memberships).execute();
    for (const { id: userId, workspaceId, acceptedAt, role, policyId } of memberships) {
      await this.audit.record({ kind: 'member_added', userId, workspaceId, details: { role, policyId } });
      await this.events.record(workspaceId, acceptedAt ? MemberJoinedDto : MemberInvitedDto, { userId, workspaceId });
    }
  }

  private async findRejections(drafts: readonly MembershipDraft[]): Promise<Map<MembershipDraft, DomainError>> {
    const withExternalId = drafts.filter(({ values }) => values.externalId);
    const owners = await this.memberships.findExternalIdOwners(
      withExternalId.map(({ workspaceId }) => workspaceId),
      withExternalId.map(({ values }) => values.externalId!),
    );
    const emails = new Map(owners.map((owner) => [`${owner.workspaceId} ${owner.externalId}`, owner.email]));
    const rejections = new Map<MembershipDraft, DomainError>();
    const counts = new Map<string, number>();
    const toKey = (draft: MembershipDraft) => `${draft.workspaceId} ${getEmail(draft)}`;
    for (const draft of drafts) counts.set(toKey(draft), (counts.get(toKey(draft)) ?? 0) + 1);
    for (const draft of drafts) {
      const { workspaceId, values } = draft;
      const email = getEmail(draft);
      const owner = emails.get(`${workspaceId} ${values.externalId}`);
      if (counts.get(toKey(draft))! > 1) rejections.set(draft, new DuplicateEmailError(email));
      else if (values.externalId && owner !== undefined && owner !== email)
        rejections.set(draft, new ParentImmutableError('The user', values.externalId, 'email'));
      else {
        const rejection = await this.requirePolicy(workspaceId, values).catch(toPolicyRejection);
        if (rejection) rejections.set(draft, rejection);
      }
    }
    return rejections;
  }

  private async findExisting(drafts: readonly MembershipDraft[], userIds: string[]): Promise<Map<string, Membership>> {
    const workspaceIds = [...new Set(drafts.map(({ workspaceId }) => workspaceId))];
    const memberships = await this.find({ workspaceId: In(workspaceIds), id: In(userIds) });
    return new Map(memberships.map((membership) => [toMapKey(membership), membership]));
  }
}

function toPolicyRejection(error: unknown): PolicyNotAssignableError {
  if (error instanceof PolicyNotAssignableError) return error;
  throw error;
}

/** The names of the fields; of those that determine access, also the value. */
function describeChange(fields: readonly string[], { status, role, policyId }: Membership): string {
  const values = new Map(Object.entries({ status, role, policyId: policyId ?? 'none' }));
  return fields.map((field) => (values.has(field) ? `${field}: ${values.get(field)}` : field)).join(', ');
}

function getEmail({ values }: MembershipDraft): string {
  return values.email!;
}

function toMapKey({ workspaceId, id }: Pick<Membership, 'workspaceId' | 'id'>): string {
  return `${workspaceId} ${id}`;
}
