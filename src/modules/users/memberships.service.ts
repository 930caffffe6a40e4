import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, IsNull } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { DomainError } from '../../platform/http/domain-error.js';
import { type Actor, pickChanges, type RecordInput, type UpsertResult } from '../../records/record-values.js';
import { ArchivedError, ParentImmutableError } from '../../records/records.errors.js';
import { AuditService } from '../audit/audit.service.js';
import { EventsService } from '../events/events.service.js';
import { MemberInvitedDto, MemberJoinedDto, MemberRemovedDto } from './dto/member-events.dto.js';
import { Membership } from './membership.entity.js';
import { MembershipsRepository } from './memberships.repository.js';
import { DuplicateEmailError } from './users.errors.js';
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
  ) {}

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
   */
  async admit(workspaceId: string, id: string, displayName: string | undefined): Promise<void> {
    const [membership] = await this.find({ workspaceId, id });
    if (!membership) {
      await this.insert([this.create({ workspaceId, id, displayName, acceptedAt: new Date() }, OPERATOR)]);
      return;
    }
    await this.change(membership, { displayName }, 'member_changed', OPERATOR);
    const admitted = { archivedAt: null, acceptedAt: membership.acceptedAt ?? new Date() };
    await this.change(membership, admitted, 'member_admitted', OPERATOR);
  }

  /** Ends and deletes all memberships of the user on behalf of the operator. */
  async deleteOf(id: string): Promise<void> {
    for (const membership of await this.find({ id, archivedAt: IsNull() }))
      await this.change(membership, { archivedAt: new Date() }, 'member_removed', OPERATOR);
    await this.database.repository(Membership).delete({ id });
  }

  /** Changes the membership and records the event, unless all values are unchanged. */
  async change(
    membership: Membership,
    values: Partial<Membership>,
    kind: MembershipEventKind,
    actor: Actor,
  ): Promise<void> {
    const changed = pickChanges(membership, values);
    const fields = Object.keys(changed);
    if (fields.length === 0) return;
    await this.database.repository(Membership).save(Object.assign(membership, changed, { updatedBy: actor.userId }));
    const reason = kind === 'member_changed' ? describeChange(fields, membership) : null;
    const { id: userId, workspaceId } = membership;
    await this.audit.record({ kind, userId, workspaceId, reason });
    const event = EVENTS[kind];
    if (event) await this.events.record(workspaceId, event, { userId, workspaceId });
  }

  private async changeExisting(membership: Membership, values: Partial<Membership>, caller: Actor): Promise<AddResult> {
    if (membership.archivedAt) return new ArchivedError('The user');
    const { version } = membership;
    await this.change(membership, values, 'member_changed', caller);
    return { record: membership, created: false, changed: membership.version > version };
  }

  private create(values: Partial<Membership>, { userId }: Actor): Membership {
    const { displayName = null, externalId = null, ...rest } = values;
    const author = { createdBy: userId, updatedBy: userId };
    return this.database.repository(Membership).create({ ...rest, displayName, externalId, ...author });
  }

  private async insert(memberships: Membership[]): Promise<void> {
    if (memberships.length === 0) return;
    await this.database.repository(Membership).createQueryBuilder().insert().values(memberships).execute();
    for (const { id: userId, workspaceId, acceptedAt } of memberships) {
      await this.audit.record({ kind: 'member_added', userId, workspaceId });
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
    const earlier = new Set<string>();
    for (const draft of drafts) {
      const { workspaceId, values } = draft;
      const email = getEmail(draft);
      const owner = emails.get(`${workspaceId} ${values.externalId}`);
      if (earlier.has(`${workspaceId} ${email}`)) rejections.set(draft, new DuplicateEmailError(email));
      else if (values.externalId && owner !== undefined && owner !== email)
        rejections.set(draft, new ParentImmutableError('The user', values.externalId, 'email'));
      earlier.add(`${workspaceId} ${email}`);
    }
    return rejections;
  }

  private async findExisting(drafts: readonly MembershipDraft[], userIds: string[]): Promise<Map<string, Membership>> {
    const workspaceIds = [...new Set(drafts.map(({ workspaceId }) => workspaceId))];
    const memberships = await this.find({ workspaceId: In(workspaceIds), id: In(userIds) });
    return new Map(memberships.map((membership) => [toMapKey(membership), membership]));
  }
}

/** The names of the fields; of the status, which determines access, also the value. */
function describeChange(fields: readonly string[], { status }: Membership): string {
  return fields.map((field) => (field === 'status' ? `status: ${status}` : field)).join(', ');
}

function getEmail({ values }: MembershipDraft): string {
  return values.email!;
}

function toMapKey({ workspaceId, id }: Pick<Membership, 'workspaceId' | 'id'>): string {
  return `${workspaceId} ${id}`;
}
