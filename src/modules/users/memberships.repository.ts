import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toLikePattern } from '../../../packages/sql/src/sql-literal.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { getRowPage } from '../../records/row-pages.repository.js';
import { joinWorkspace } from '../workspaces/workspaces.clauses.js';
import { IS_ACTIVE_OWNER, joinActiveUser } from './users.clauses.js';
import type { InvitationDto } from './dto/invitation.dto.js';
import type { ListUsersDto, MembershipDto, UserDto } from './dto/user.dto.js';

const OLDEST_FIRST = 'ORDER BY m.archived_at IS NOT NULL, m.created_at, m.workspace_id';

/** True if all memberships that have not ended are suspended. */
const IS_SUSPENDED = `coalesce(bool_and(m.status = 'suspended') FILTER (WHERE m.archived_at IS NULL), bool_and(m.status = 'suspended'))`;

/**
 * Users as the workspaces `$1` know them. The version is the sum of the versions of their memberships, so it changes
 * with every change in these workspaces and with no other.
 */
const SELECT_USER_VIEWS = `
  SELECT u.id, u.email,
         CASE WHEN ${IS_SUSPENDED} THEN 'suspended' ELSE 'active' END AS status,
         (array_agg(m.display_name ${OLDEST_FIRST}) FILTER (WHERE m.display_name IS NOT NULL))[1] AS "displayName",
         (array_agg(m.external_id ${OLDEST_FIRST}) FILTER (WHERE m.external_id IS NOT NULL))[1] AS "externalId",
         CASE WHEN bool_and(m.archived_at IS NOT NULL) THEN max(m.archived_at) END AS "archivedAt",
         sum(m.version)::integer AS version, min(m.created_at) AS "createdAt",
         (array_agg(m.created_by ORDER BY m.created_at, m.workspace_id))[1] AS "createdBy",
         max(m.updated_at) AS "updatedAt",
         (array_agg(m.updated_by ORDER BY m.updated_at DESC, m.workspace_id))[1] AS "updatedBy",
         jsonb_agg(jsonb_build_object('workspaceId', m.workspace_id, 'displayName', m.display_name, 'externalId',
           m.external_id, 'status', m.status, 'role', m.role, 'policyId', m.policy_id, 'createdAt', m.created_at, 'acceptedAt', m.accepted_at, 'archivedAt', m.archived_at)
           ORDER BY m.created_at, m.workspace_id) AS memberships
    FROM workspace_members m JOIN users u ON u.id = m.user_id
   WHERE m.workspace_id = ANY ($1::uuid[])`;

/** The user who has an external ID in a workspace. */
export interface ExternalIdOwner {
  workspaceId: string;
  externalId: string;
  email: string;
}

/** When a user was a member. */
export interface MembershipPeriod {
  userId: string;
  name: string;
  since: Date;
  until: Date | null;
}

/** Reads of memberships that aggregate or join several tables. */
@Injectable()
export class MembershipsRepository {
  constructor(private readonly database: Database) {}

  /** @throws {InvalidCursorError} */
  async findPage(workspaceIds: readonly string[], query: ListUsersDto): Promise<Page<UserDto>> {
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
    const page = await getRowPage<UserDto>(this.database, identity, { sql, parameters, sized: ['memberships'] }, query);
    return { ...page, items: page.items.map(parseTimes) };
  }

  /** The user as these workspaces know it; undefined if it never was a member of any of them. */
  async findUser(workspaceIds: readonly string[], id: string): Promise<UserDto | undefined> {
    const sql = `${SELECT_USER_VIEWS} AND u.id = $2 GROUP BY u.id`;
    const [user] = await this.database.query<UserDto>(sql, [workspaceIds, id]);
    return user && parseTimes(user);
  }

  /**
   * The user with this email address, if it ever was a member of one of these workspaces. One statement, whether other
   * workspaces have the user or not.
   */
  async findUserId(workspaceIds: readonly string[], email: string): Promise<string | undefined> {
    const [user] = await this.database.query<{ id: string }>(
      `SELECT u.id FROM users u JOIN workspace_members m ON m.user_id = u.id
        WHERE u.email = $2 AND m.workspace_id = ANY ($1::uuid[]) LIMIT 1`,
      [workspaceIds, email],
    );
    return user?.id;
  }

  findExternalIdOwners(workspaceIds: readonly string[], externalIds: readonly string[]): Promise<ExternalIdOwner[]> {
    return this.database.query<ExternalIdOwner>(
      `SELECT m.workspace_id::text AS "workspaceId", m.external_id AS "externalId", u.email
         FROM workspace_members m JOIN users u ON u.id = m.user_id
        WHERE m.workspace_id = ANY ($1::uuid[]) AND m.external_id = ANY ($2::text[])`,
      [workspaceIds, externalIds],
    );
  }

  /**
   * The owners of the workspace who can sign in, locked until the transaction ends. Of concurrent transactions that
   * each end another owner, the later ones wait, and then read what the first one has committed.
   */
  async lockOwners(workspaceId: string): Promise<string[]> {
    const owners = await this.database.query<{ id: string }>(
      `SELECT m.user_id AS id FROM workspace_members m ${joinActiveUser('m.user_id')}
        WHERE m.workspace_id = $1 AND ${IS_ACTIVE_OWNER} ORDER BY m.user_id FOR NO KEY UPDATE OF m`,
      [workspaceId],
    );
    return owners.map(({ id }) => id);
  }

  /** The memberships and the OAuth clients with the policy, without those of memberships that have ended. */
  async countWithPolicy(workspaceId: string, policyId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT coalesce(sum((m.policy_id IS NOT DISTINCT FROM $2::uuid)::integer + (
                SELECT count(*) FROM jsonb_each_text(m.client_policies) AS client (id, policy)
                 WHERE client.policy = $2::uuid::text)), 0)::integer AS count
         FROM workspace_members m
        WHERE m.workspace_id = $1 AND m.archived_at IS NULL
          AND (m.policy_id = $2 OR m.client_policies IS NOT NULL)`,
      [workspaceId, policyId],
    );
    return row!.count;
  }

  /** The periods of everyone who is or was a member of the workspace, and how the workspace names the user. */
  listPeriods(workspaceId: string): Promise<MembershipPeriod[]> {
    return this.database.query<MembershipPeriod>(
      `SELECT m.user_id AS "userId", coalesce(m.display_name, u.email) AS name, p.since, p.until
         FROM workspace_members m JOIN users u ON u.id = m.user_id
        CROSS JOIN jsonb_to_recordset(m.periods) AS p (since timestamptz, until timestamptz)
        WHERE m.workspace_id = $1`,
      [workspaceId],
    );
  }

  /** The open invitations of the user, the oldest first. */
  findInvitations(userId: string): Promise<InvitationDto[]> {
    return this.database.query<InvitationDto>(
      `SELECT w.id AS "workspaceId", w.name AS "workspaceName", m.created_at AS "createdAt"
         FROM workspace_members m ${joinWorkspace('m.workspace_id')}
        WHERE m.user_id = $1 AND m.archived_at IS NULL AND m.accepted_at IS NULL
        ORDER BY m.created_at, w.id`,
      [userId],
    );
  }
}

/** Times in JSON are strings. */
function parseTimes(user: UserDto): UserDto {
  const memberships = user.memberships.map((membership): MembershipDto => {
    const { createdAt, acceptedAt, archivedAt } = membership;
    return {
      ...membership,
      createdAt: new Date(createdAt),
      acceptedAt: acceptedAt && new Date(acceptedAt),
      archivedAt: archivedAt && new Date(archivedAt),
    };
  });
  return { ...user, memberships };
}
