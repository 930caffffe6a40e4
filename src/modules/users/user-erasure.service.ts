import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { catchDryRun, DryRun } from '../../../packages/sql/src/dry-run.js';
import { Database } from '../../platform/database/database.js';
import type { ErasedPerson, ErasureStep } from '../../platform/database/erased-person.js';
import { addCounts, type ErasureCounts, Erasures } from '../../platform/database/erasures.js';
import type { Actor } from '../../records/record-values.js';
import { AuditService } from '../audit/audit.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { Membership } from './membership.entity.js';
import { MembershipsService } from './memberships.service.js';
import { User } from './user.entity.js';
import { LastOwnerError } from './users.errors.js';
import { UsersService } from './users.service.js';

/** What an erasure has changed, or in a dry run would change. */
export interface ErasureReport {
  id: string;
  pseudonym: string;
  /** Changed and deleted rows by table. */
  records: ErasureCounts;
}

/** Hexadecimal digits of the random ID of the user in a pseudonym. */
const DIGITS = 12;

/** Of a subject of an issuer that is replaced in texts. Shorter ones are erased in the rows of the person only. */
const MIN_SUBJECT_LENGTH = 16;

/** As a caller, so that the last owner remains one. */
const OPERATOR: Actor = { userId: null };

/** Replaces the name and the email address of a user everywhere by a pseudonym. */
@Injectable()
export class UserErasureService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly memberships: MembershipsService,
    private readonly workspaces: WorkspacesService,
    private readonly audit: AuditService,
    private readonly erasures: Erasures,
  ) {}

  /** It contains nothing of the person, and is the same if the erasure is repeated. */
  toPseudonym(id: string): string {
    return `erased-${id.replaceAll('-', '').slice(0, DIGITS)}`;
  }

  /**
   * Ends the access of the user first, then erases in steps, the names last: if it is interrupted, another call
   * completes it.
   *
   * @throws {NotFoundError | LastOwnerError}
   */
  async erase(id: string, isDryRun: boolean): Promise<ErasureReport> {
    const user = await this.users.getOrErased(id);
    const memberships = await this.memberships.find({ id });
    const pseudonym = this.toPseudonym(id);
    const step: ErasureStep = isDryRun ? (work) => this.rollBack(work) : (work) => this.database.transaction(work);
    const records: ErasureCounts = {};
    const add = (counts: ErasureCounts) => addCounts(records, counts);
    const emails = user.email === pseudonym ? [] : [user.email, ...(await this.listFormerEmails(user))];
    const displayNames = await this.listDisplayNames(memberships);
    const toPerson = (names: readonly string[]): ErasedPerson => ({ userId: id, pseudonym, names });
    add(await step(() => this.endAccess(id)));
    for (const { id: workspaceId } of await this.workspaces.list())
      add(
        await this.erasures.erase(toPerson([...emails, ...(displayNames.get(workspaceId) ?? [])]), step, workspaceId),
      );
    for (const [workspaceId, names] of displayNames)
      add(await this.erasures.eraseOwnRows(toPerson(names), step, workspaceId));
    const all = toPerson([...emails, ...(await this.listSubjects(id))]);
    add(await this.erasures.erase(all, step));
    add(await step(() => this.forget(user, memberships, all, records)));
    return { id, pseudonym, records };
  }

  private rollBack<T>(work: () => Promise<T>): Promise<T> {
    return catchDryRun<T>(() =>
      this.database.transaction(async () => {
        throw new DryRun(await work());
      }),
    );
  }

  /** By workspace. A name that another member has, too, names the other member. */
  private async listDisplayNames(memberships: readonly Membership[]): Promise<Map<string, string[]>> {
    const names = new Map<string, string[]>();
    for (const { workspaceId, id, displayName } of memberships) {
      if (displayName === null) continue;
      const others = { workspaceId, id: Not(id), displayName };
      if (!(await this.database.repository(Membership).existsBy(others))) names.set(workspaceId, [displayName]);
    }
    return names;
  }

  /** An address that another user has now names the other user. */
  private async listFormerEmails({ formerEmails }: User): Promise<string[]> {
    const known = await this.database
      .repository(User)
      .find({ select: { email: true }, where: { email: In(formerEmails) } });
    return formerEmails.filter((former) => !known.some(({ email }) => email === former));
  }

  /** A short subject of an issuer may be any word or number. */
  private async listSubjects(id: string): Promise<string[]> {
    return (await this.erasures.listNames(id)).filter((subject) => subject.length >= MIN_SUBJECT_LENGTH);
  }

  /** From now on, no request of the user is accepted. */
  private async endAccess(id: string): Promise<ErasureCounts> {
    const counts = await this.users.removeAccess(id);
    const memberships = await this.memberships.find({ id, archivedAt: IsNull() });
    for (const membership of memberships.toSorted((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))) {
      const { workspaceId } = membership;
      if (!(await this.workspaces.find(workspaceId))) {
        // It is deleted, so that it has no owners: a restored one receives them from the operator.
        await this.database.repository(Membership).update({ workspaceId, id }, { archivedAt: new Date() });
        continue;
      }
      const ending = this.memberships.change(membership, { archivedAt: new Date() }, 'member_removed', OPERATOR);
      await ending.catch(async (error: unknown) => {
        if (!(error instanceof LastOwnerError)) throw error;
        throw new LastOwnerError((await this.workspaces.get(workspaceId)).slug);
      });
    }
    await this.database.repository(User).update({ id }, { status: 'erased' });
    return counts;
  }

  private async forget(
    { id, email }: User,
    memberships: readonly Membership[],
    person: ErasedPerson,
    records: Readonly<ErasureCounts>,
  ): Promise<ErasureCounts> {
    const counts: ErasureCounts = { ...(await this.erasures.eraseNames(person)), workspace_members: 0, users: 0 };
    const named = memberships.filter(({ displayName, externalId }) => displayName !== null || externalId !== null);
    for (const { workspaceId } of named) {
      await this.database.repository(Membership).update({ workspaceId, id }, { displayName: null, externalId: null });
      counts['workspace_members']!++;
    }
    if (email === person.pseudonym) return counts;
    await this.database
      .repository(User)
      .update({ id }, { email: person.pseudonym, formerEmails: [], lastLoginAt: null });
    counts['users'] = 1;
    const { pseudonym } = person;
    await this.audit.record({
      kind: 'user_erased',
      userId: id,
      counts: pickChanged({ ...records, ...counts }),
      details: { pseudonym },
    });
    return counts;
  }
}

/** An entry names only the tables with changes. */
function pickChanged(counts: ErasureCounts): ErasureCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
