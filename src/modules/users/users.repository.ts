import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { IS_ACTIVE_MEMBERSHIP, IS_ACTIVE_OWNER, joinActiveUser, joinUser, toClientPolicy } from './users.clauses.js';

/** An OAuth client of a member of a workspace. */
export interface MemberClient {
  workspaceId: string;
  userId: string;
  clientId: string;
}

/** A user as a workspace knows it. */
export interface KnownMember {
  id: string;
  email: string;
  displayName: string | null;
  /** Does the membership give access? */
  isActive: boolean;
}

/** Statements on users that lock rows, or join their memberships. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Locks the rows until the transaction ends, in one order, so that concurrent transactions cannot deadlock. */
  async lock(ids: readonly string[]): Promise<void> {
    await this.database.query('SELECT 1 FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [ids]);
  }

  /** Changes the email address. The version of the membership is that of the user as the workspace knows it. */
  async rename(
    { workspaceId, userId }: { workspaceId: string; userId: string },
    email: string,
    changedBy: string | null,
  ): Promise<void> {
    const changed = 'version = version + 1, updated_at = now()';
    await this.database.affected(
      `UPDATE users SET email = $2, former_emails = array_append(array_remove(former_emails, email), email), ${changed}
        WHERE id = $1`,
      [userId, email],
    );
    await this.database.affected(
      `UPDATE workspace_members SET updated_by = $3, ${changed} WHERE workspace_id = $1 AND user_id = $2`,
      [workspaceId, userId, changedBy],
    );
  }

  async findWorkspaceIds(userId: string): Promise<string[]> {
    const memberships = await this.database.query<{ workspaceId: string }>(
      `SELECT m.workspace_id::text AS "workspaceId" FROM workspace_members m
        WHERE m.user_id = $1 AND ${IS_ACTIVE_MEMBERSHIP}`,
      [userId],
    );
    return memberships.map(({ workspaceId }) => workspaceId);
  }

  /** Is the user one of the owners of the workspace who can sign in? */
  async isActiveOwner(workspaceId: string, id: string): Promise<boolean> {
    const owners = await this.database.query(
      `SELECT m.user_id FROM workspace_members m ${joinActiveUser('m.user_id')}
        WHERE m.workspace_id = $1 AND m.user_id = $2 AND ${IS_ACTIVE_OWNER}`,
      [workspaceId, id],
    );
    return owners.length > 0;
  }

  /**
   * Sets or removes the access policy of an OAuth client of a member.
   *
   * @returns false if the client has the policy already, or the user is not a member.
   */
  async setClientPolicy({ workspaceId, userId, clientId }: MemberClient, policyId: string | null): Promise<boolean> {
    const changed = await this.database.affected(
      `UPDATE workspace_members m
          SET client_policies = nullif(
                coalesce(m.client_policies, '{}') - $3::text
                  || CASE WHEN $4::uuid IS NULL THEN '{}' ELSE jsonb_build_object($3::text, $4::uuid) END, '{}')
        WHERE m.workspace_id = $1 AND m.user_id = $2 AND m.archived_at IS NULL AND m.accepted_at IS NOT NULL
          AND ${toClientPolicy('$3')} IS DISTINCT FROM $4::uuid::text`,
      [workspaceId, userId, clientId, policyId],
    );
    return changed > 0;
  }

  /**
   * Creates the missing users with these email addresses and locks all of them: in the order of the addresses, so that
   * concurrent requests with the same users cannot deadlock.
   *
   * @returns the IDs by email address.
   */
  async createAndLock(emails: readonly string[]): Promise<Map<string, string>> {
    await this.database.affected(
      `INSERT INTO users (id, email) SELECT id, email FROM unnest($1::uuid[], $2::text[]) AS new (id, email)
        ORDER BY email ON CONFLICT (email) DO NOTHING`,
      [emails.map(() => randomUUID()), emails],
    );
    const users = await this.database.query<{ id: string; email: string }>(
      'SELECT id, email FROM users WHERE email = ANY ($1::text[]) ORDER BY email FOR NO KEY UPDATE',
      [emails],
    );
    // The operator deleted a user whom the INSERT still found.
    if (users.length < new Set(emails).size) return this.createAndLock(emails);
    return new Map(users.map(({ id, email }) => [email, id]));
  }

  /** Those that are or were members of the workspace, by ID or email address. */
  listMembers(workspaceId: string, ids: readonly string[], emails: readonly string[]): Promise<KnownMember[]> {
    return this.database.query<KnownMember>(
      `SELECT u.id, u.email, m.display_name AS "displayName", ${IS_ACTIVE_MEMBERSHIP} AS "isActive"
         FROM workspace_members m ${joinUser('m.user_id')}
        WHERE m.workspace_id = $1 AND (u.id = ANY ($2::uuid[]) OR u.email = ANY ($3::text[]))`,
      [workspaceId, ids, emails],
    );
  }
}
