import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { DomainError } from '../../platform/http/domain-error.js';
import { ArchivedError, ParentImmutableError } from '../../records/records.errors.js';
import type { RecordInput, UpsertResult } from '../../records/record-values.js';
import type { Principal } from '../../platform/security/principal.js';
import { MembershipsRepository } from './memberships.repository.js';
import { EmailTwiceError } from './users.errors.js';
import type { Membership } from './membership.entity.js';

/** Somebody who is to be a member. */
export type Enrolled = Membership & { email: string };

/** Makes people members of workspaces by their emails, whether the service knows them or not: both look alike. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly database: Database,
    private readonly members: MembershipsRepository,
  ) {}

  /**
   * Whoever is a member of others alone is invited, which looks alike too. Whoever is a member already is changed by what is named, and nobody's place in another workspace is touched.
   *
   * @returns for each what came of it, or why it was refused.
   */
  enrol(
    drafts: readonly RecordInput<Enrolled>[],
    caller: Principal,
  ): Promise<(UpsertResult<Membership> | DomainError)[]> {
    return this.database.transaction(async () => {
      const refused = await this.refusals(drafts);
      const sound = drafts.filter((draft) => !refused.has(draft));
      const userIds = await this.members.lockUsers(sound.map(emailOf));
      const known = await this.known(sound, [...userIds.values()]);
      const elsewhere = await this.members.acceptedOf([...userIds.values()]);
      const saved: (UpsertResult<Membership> | DomainError)[] = [];
      for (const draft of drafts) {
        const { email, ...values } = draft.values;
        const place = { workspaceId: draft.workspaceId, id: userIds.get(email!)! };
        const member = known.get(nameOf(place));
        const fault = refused.get(draft);
        if (fault) saved.push(fault);
        else if (!member) {
          const acceptedAt = isInvited(elsewhere.get(place.id), caller) ? null : new Date();
          const record = this.members.newMember({ ...values, ...place, acceptedAt }, caller);
          saved.push({ record, created: true, changed: false });
        } else if (member.archivedAt) saved.push(new ArchivedError('The user'));
        else {
          const { version } = member;
          await this.members.write(member, values, 'member_changed', caller);
          saved.push({ record: member, created: false, changed: member.version > version });
        }
      }
      await this.members.insert(saved.flatMap((each) => ('created' in each && each.created ? [each.record] : [])));
      return saved;
    });
  }

  /** Decided before any user is made, so that none is made in vain. */
  private async refusals(drafts: readonly RecordInput<Enrolled>[]): Promise<Map<RecordInput<Enrolled>, DomainError>> {
    const named = drafts.filter(({ values }) => values.externalId);
    const holders = await this.members.holders(
      named.map(({ workspaceId }) => workspaceId),
      named.map(({ values }) => values.externalId!),
    );
    const emails = new Map(holders.map((each) => [`${each.workspaceId} ${each.externalId}`, each.email]));
    const refused = new Map<RecordInput<Enrolled>, DomainError>();
    const seen = new Set<string>();
    for (const draft of drafts) {
      const { workspaceId, values } = draft;
      const email = emailOf(draft);
      const holder = emails.get(`${workspaceId} ${values.externalId}`);
      if (seen.has(`${workspaceId} ${email}`)) refused.set(draft, new EmailTwiceError(email));
      else if (values.externalId && holder !== undefined && holder !== email)
        refused.set(draft, new ParentImmutableError('The user', values.externalId, 'email'));
      seen.add(`${workspaceId} ${email}`);
    }
    return refused;
  }

  private async known(
    drafts: readonly RecordInput<Enrolled>[],
    userIds: readonly string[],
  ): Promise<Map<string, Membership>> {
    const workspaceIds = [...new Set(drafts.map(({ workspaceId }) => workspaceId))];
    const members = await this.members.find({ workspaceId: In(workspaceIds), id: In([...userIds]) });
    return new Map(members.map((member) => [nameOf(member), member]));
  }
}

/**
 * Is a membership that the caller makes an invitation? Whoever is inside with others alone is asked first: it widens what the
 * user's sessions reach, and who has a say in them.
 *
 * @param accepted the workspaces where the user is a member, and has accepted it.
 */
export function isInvited(accepted: readonly string[] = [], { workspaceIds }: Principal): boolean {
  return accepted.length > 0 && !accepted.some((each) => workspaceIds.includes(each));
}

function emailOf({ values }: RecordInput<Enrolled>): string {
  return values.email!;
}

function nameOf({ workspaceId, id }: Pick<Membership, 'workspaceId' | 'id'>): string {
  return `${workspaceId} ${id}`;
}
