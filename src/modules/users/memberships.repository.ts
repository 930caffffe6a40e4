import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import type { Page } from '../../platform/http/page.dto.js';
import { getRowPage } from '../../records/record-pages.repository.js';
import { toLikePattern } from '../../platform/database/sql-literal.js';
import { type Actor, pickChanges } from '../../records/record-values.js';
import { AuditService } from '../audit/audit.service.js';
import type { ListUsersDto, MembershipDto, UserDto } from './dto/user.dto.js';
import { Membership } from './membership.entity.js';

/** A user with its memberships of the workspaces asked about; how many sessions it has, others know. */
export type SeenUser = Omit<UserDto, 'sessionCount'> & {
  /** By the user, of any of these workspaces; else it is an invitation, and what the user does is not theirs to see. */
  accepted: boolean;
};

const OLDEST_FIRST = 'ORDER BY m.archived_at IS NOT NULL, m.created_at, m.workspace_id';

/**
 * Users as the workspaces `$1` know them. Whatever changes there, and nothing that changes elsewhere, moves the version:
 * the sum of the memberships' versions.
 */
const SEEN = `
  SELECT u.id, u.email, u.status,
         (array_agg(m.display_name ${OLDEST_FIRST}) FILTER (WHERE m.display_name IS NOT NULL))[1] AS "displayName",
         (array_agg(m.external_id ${OLDEST_FIRST}) FILTER (WHERE m.external_id IS NOT NULL))[1] AS "externalId",
         CASE WHEN u.last_login_at >= min(m.accepted_at) THEN u.last_login_at END AS "lastLoginAt",
         CASE WHEN bool_and(m.archived_at IS NOT NULL) THEN max(m.archived_at) END AS "archivedAt",
         sum(m.version)::integer AS version, bool_or(m.accepted_at IS NOT NULL) AS accepted,
         min(m.created_at) AS "createdAt",
         (array_agg(m.created_by ORDER BY m.created_at, m.workspace_id))[1] AS "createdBy",
         max(m.updated_at) AS "updatedAt",
         (array_agg(m.updated_by ORDER BY m.updated_at DESC, m.workspace_id))[1] AS "updatedBy",
         jsonb_agg(jsonb_build_object('workspaceId', m.workspace_id, 'displayName', m.display_name, 'externalId',
           m.external_id, 'createdAt', m.created_at, 'archivedAt', m.archived_at)
           ORDER BY m.created_at, m.workspace_id) AS memberships
    FROM workspace_members m JOIN users u ON u.id = m.user_id
   WHERE m.workspace_id = ANY ($1::uuid[])`;

/** What may be said of memberships in the audit log. */
type MemberFact =
  | 'member_added'
  | 'member_changed'
  | 'member_removed'
  | 'member_restored'
  | 'invitation_accepted'
  | 'invitation_declined';

/** Memberships, and the users they are of. */
@Injectable()
export class MembershipsRepository {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
  ) {}

  /** @throws {InvalidCursorError} */
  async page(workspaceIds: readonly string[], query: ListUsersDto): Promise<Page<SeenUser>> {
    const { archived = 'false', q, externalId, status } = query;
    const parameters: unknown[] = [workspaceIds];
    const given = (value: unknown) => `$${parameters.push(value)}`;
    const where = ['TRUE'];
    if (archived !== 'all') where.push(`"archivedAt" IS ${archived === 'true' ? 'NOT ' : ''}NULL`);
    if (status) where.push(`status = ANY (${given(status)}::text[])`);
    if (externalId !== undefined)
      where.push(`memberships @> jsonb_build_array(jsonb_build_object('externalId', ${given(externalId)}::text))`);
    if (q) {
      const pattern = given(toLikePattern(q));
      where.push(`(email ILIKE ${pattern} OR "displayName" ILIKE ${pattern})`);
    }
    const sql = `SELECT * FROM (${SEEN} GROUP BY u.id) AS seen WHERE ${where.join(' AND ')}`;
    const identity = ['users', [...workspaceIds].sort(), archived, q, externalId, status];
    const page = await getRowPage<SeenUser>(this.database, identity, { sql, parameters }, query);
    return { ...page, items: page.items.map(withTimes) };
  }

  /** The user as these workspaces know it; undefined where it never was a member of any. */
  async findSeen(workspaceIds: readonly string[], id: string): Promise<SeenUser | undefined> {
    const sql = `${SEEN} AND u.id = $2 GROUP BY u.id`;
    return (await this.database.query<SeenUser>(sql, [workspaceIds, id])).map(withTimes)[0];
  }

  find(where: FindOptionsWhere<Membership>): Promise<Membership[]> {
    return this.database.manager.find(Membership, { where, order: { createdAt: 'ASC', workspaceId: 'ASC' } });
  }

  /** The workspaces of each of the users that counts somewhere, without invitations. */
  async acceptedOf(userIds: readonly string[]): Promise<Map<string, string[]>> {
    const found = await this.database.query<{ userId: string; workspaceIds: string[] }>(
      `SELECT user_id AS "userId", array_agg(workspace_id::text) AS "workspaceIds" FROM workspace_members
        WHERE user_id = ANY ($1::uuid[]) AND archived_at IS NULL AND accepted_at IS NOT NULL GROUP BY user_id`,
      [userIds],
    );
    return new Map(found.map(({ userId, workspaceIds }) => [userId, workspaceIds]));
  }

  /** The emails of those whom the workspaces know by these external ids. */
  async holders(workspaceIds: readonly string[], externalIds: readonly string[]): Promise<Holder[]> {
    return this.database.query<Holder>(
      `SELECT m.workspace_id::text AS "workspaceId", m.external_id AS "externalId", u.email
         FROM workspace_members m JOIN users u ON u.id = m.user_id
        WHERE m.workspace_id = ANY ($1::uuid[]) AND m.external_id = ANY ($2::text[])`,
      [workspaceIds, externalIds],
    );
  }

  /**
   * The ids of the users with these emails, who are made where there are none, and are locked: in the order of their
   * emails, so that two who add the same users wait for one another once.
   */
  async lockUsers(emails: readonly string[]): Promise<Map<string, string>> {
    await this.database.affected(
      `INSERT INTO users (id, email) SELECT id, email FROM unnest($1::uuid[], $2::text[]) AS new (id, email)
        ORDER BY email ON CONFLICT (email) DO NOTHING`,
      [emails.map(() => uuid()), emails],
    );
    const users = await this.database.query<{ id: string; email: string }>(
      'SELECT id, email FROM users WHERE email = ANY ($1::text[]) ORDER BY email FOR NO KEY UPDATE',
      [emails],
    );
    return new Map(users.map(({ id, email }) => [email, id]));
  }

  async insert(members: readonly Membership[]): Promise<void> {
    if (members.length === 0) return;
    await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(Membership)
      .values([...members])
      .execute();
    for (const { id: userId, workspaceId } of members)
      await this.audit.record({ kind: 'member_added', userId, workspaceId });
  }

  newMember(values: Partial<Membership>, { userId }: Actor): Membership {
    const { displayName = null, externalId = null, ...rest } = values;
    const author = { createdBy: userId, updatedBy: userId };
    return this.database.manager.create(Membership, { ...rest, displayName, externalId, ...author });
  }

  /** What is as it was is not written. */
  async write(member: Membership, values: Partial<Membership>, kind: MemberFact, author: Actor): Promise<void> {
    const changed = pickChanges(member, values);
    const fields = Object.keys(changed);
    if (fields.length === 0) return;
    await this.database.manager.save(Object.assign(member, changed, { updatedBy: author.userId }));
    const reason = kind === 'member_changed' ? fields.join(', ') : null;
    await this.audit.record({ kind, userId: member.id, workspaceId: member.workspaceId, reason });
  }
}

/** Who has an external id. */
export interface Holder {
  workspaceId: string;
  externalId: string;
  email: string;
}

/** JSON has times as texts. */
function withTimes(user: SeenUser): SeenUser {
  const memberships = user.memberships.map((membership): MembershipDto => {
    const { createdAt, archivedAt } = membership;
    return {
      ...membership,
      createdAt: new Date(createdAt),
      archivedAt: archivedAt && new Date(archivedAt),
    };
  });
  return { ...user, memberships };
}
