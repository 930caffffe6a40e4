import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toLikePattern } from '../../platform/database/sql-literal.js';
import type { Page } from '../../platform/http/page.dto.js';
import { getRowPage } from '../../records/record-pages.repository.js';
import type { InvitationDto } from './dto/invitation.dto.js';
import type { ListUsersDto, MembershipDto, UserDto } from './dto/user.dto.js';

/** A user with the memberships of certain workspaces. The number of sessions is added by the sessions module. */
export type UserView = Omit<UserDto, 'sessionCount'> & {
  /** True if the user accepted at least one of these memberships. Otherwise the user's activity is not visible. */
  accepted: boolean;
};

const OLDEST_FIRST = 'ORDER BY m.archived_at IS NOT NULL, m.created_at, m.workspace_id';

/**
 * Users as the workspaces `$1` know them. The version is the sum of the versions of their memberships, so it changes with
 * every change in these workspaces and with no other.
 */
const SELECT_USER_VIEWS = `
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

/** The user who has an external ID in a workspace. */
export interface ExternalIdOwner {
  workspaceId: string;
  externalId: string;
  email: string;
}

/** Reads of memberships that aggregate or join several tables. */
@Injectable()
export class MembershipsRepository {
  constructor(private readonly database: Database) {}

  /** @throws {InvalidCursorError} */
  async findPage(workspaceIds: readonly string[], query: ListUsersDto): Promise<Page<UserView>> {
    const { archived = 'false', q, externalId, status } = query;
    const parameters: unknown[] = [workspaceIds];
    const addParameter = (value: unknown) => `$${parameters.push(value)}`;
    const where = ['TRUE'];
    if (archived !== 'all') where.push(`"archivedAt" IS ${archived === 'true' ? 'NOT ' : ''}NULL`);
    if (status) where.push(`status = ANY (${addParameter(status)}::text[])`);
    if (externalId !== undefined)
      where.push(
        `memberships @> jsonb_build_array(jsonb_build_object('externalId', ${addParameter(externalId)}::text))`,
      );
    if (q) {
      const pattern = addParameter(toLikePattern(q));
      where.push(`(email ILIKE ${pattern} OR "displayName" ILIKE ${pattern})`);
    }
    const sql = `SELECT * FROM (${SELECT_USER_VIEWS} GROUP BY u.id) AS user_view WHERE ${where.join(' AND ')}`;
    const identity = ['users', [...workspaceIds].sort(), archived, q, externalId, status];
    const page = await getRowPage<UserView>(this.database, identity, { sql, parameters }, query);
    return { ...page, items: page.items.map(parseTimes) };
  }

  /** The user as these workspaces know it; undefined if it never was a member of any of them. */
  async findUser(workspaceIds: readonly string[], id: string): Promise<UserView | undefined> {
    const sql = `${SELECT_USER_VIEWS} AND u.id = $2 GROUP BY u.id`;
    const [user] = await this.database.query<UserView>(sql, [workspaceIds, id]);
    return user && parseTimes(user);
  }

  /** The workspaces of each user, without invitations. Users without any are absent. */
  async findAcceptedWorkspaces(userIds: readonly string[]): Promise<Map<string, string[]>> {
    const found = await this.database.query<{ userId: string; workspaceIds: string[] }>(
      `SELECT user_id AS "userId", array_agg(workspace_id::text) AS "workspaceIds" FROM workspace_members
        WHERE user_id = ANY ($1::uuid[]) AND archived_at IS NULL AND accepted_at IS NOT NULL GROUP BY user_id`,
      [userIds],
    );
    return new Map(found.map(({ userId, workspaceIds }) => [userId, workspaceIds]));
  }

  findExternalIdOwners(workspaceIds: readonly string[], externalIds: readonly string[]): Promise<ExternalIdOwner[]> {
    return this.database.query<ExternalIdOwner>(
      `SELECT m.workspace_id::text AS "workspaceId", m.external_id AS "externalId", u.email
         FROM workspace_members m JOIN users u ON u.id = m.user_id
        WHERE m.workspace_id = ANY ($1::uuid[]) AND m.external_id = ANY ($2::text[])`,
      [workspaceIds, externalIds],
    );
  }

  /** The open invitations of the user, the oldest first. */
  findInvitations(userId: string): Promise<InvitationDto[]> {
    return this.database.query<InvitationDto>(
      `SELECT w.id AS "workspaceId", w.name AS "workspaceName", m.created_at AS "createdAt"
         FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = $1 AND m.archived_at IS NULL AND m.accepted_at IS NULL
        ORDER BY m.created_at, w.id`,
      [userId],
    );
  }
}

/** Times in JSON are strings. */
function parseTimes(user: UserView): UserView {
  const memberships = user.memberships.map((membership): MembershipDto => {
    const { createdAt, archivedAt } = membership;
    return { ...membership, createdAt: new Date(createdAt), archivedAt: archivedAt && new Date(archivedAt) };
  });
  return { ...user, memberships };
}
