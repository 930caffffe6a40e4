import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { WorkspaceRole } from '../../platform/security/principal.js';
import type { Scope } from '../../platform/security/scopes.js';
import { IS_ACTIVE_CLIENT, joinClientIfAny } from '../auth/clients.clauses.js';
import {
  IS_ACTIVE_USER,
  isMemberOrInvited,
  joinUserIfAny,
  parseWorkspaceRoles,
  recordLogin,
  selectWorkspaceRoles,
} from '../users/users.clauses.js';
import type { VerifiedToken } from './issuer-token-verifier.js';

/** What a subject of an issuer is at the time of a request. */
export interface FederatedCaller {
  /** Null if no user is bound to the subject. */
  userId: string | null;
  clientId: string | null;
  /** Of the client. */
  allowedScopes: Scope[] | null;
  /** May the user, and the client if there is one, do anything? */
  isActive: boolean;
  memberships: WorkspaceRole[];
}

type Row = Omit<FederatedCaller, 'memberships'> & { workspaceRoles: string };

const FIND_WITH_WORKSPACES = selectForRequest();
const FIND_WITH_WORKSPACE = selectForRequest('$3');

/** Statements on subjects of issuers that join users and clients, or must be atomic. */
@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads issuer, subject, user and workspaces, on every request.
   *
   * @param workspaceId a UUID; the list then contains at most this workspace.
   * @returns undefined if the issuer was removed.
   */
  async findForRequest(issuerId: string, subject: string, workspaceId?: string): Promise<FederatedCaller | undefined> {
    const parameters = workspaceId === undefined ? [issuerId, subject] : [issuerId, subject, workspaceId];
    const [row] = await (workspaceId === undefined
      ? this.database.query<Row>(FIND_WITH_WORKSPACES, parameters, 'subject of an issuer')
      : this.database.query<Row>(FIND_WITH_WORKSPACE, parameters, 'subject of an issuer in a workspace'));
    if (!row) return undefined;
    const { workspaceRoles, ...caller } = row;
    return { ...caller, memberships: parseWorkspaceRoles(workspaceRoles) };
  }

  /** Prevents that another issuer is added or removed until the transaction ends. */
  async lockIssuers(): Promise<void> {
    await this.database.query('LOCK TABLE trusted_issuers IN SHARE ROW EXCLUSIVE MODE');
  }

  /** Is the user a member of a workspace, or invited to one? */
  async isMemberOrInvited(userId: string): Promise<boolean> {
    const [row] = await this.database.query<{ exists: boolean }>(`SELECT ${isMemberOrInvited('$1')} AS exists`, [
      userId,
    ]);
    return row!.exists;
  }

  /**
   * Notes a token and the login, unless the token or a newer one was used before. Tokens that were issued in one second
   * may have different groups: each is noted at its first use.
   *
   * @returns false if it is not noted.
   */
  async recordToken(
    { issuer, subject, digest, issuedAt }: Pick<VerifiedToken, 'issuer' | 'subject' | 'digest' | 'issuedAt'>,
    userId: string,
  ): Promise<boolean> {
    const changed = await this.database.affected(
      `UPDATE federated_identities
          SET token_issued_at = $3,
              token_digests = CASE WHEN token_issued_at = $3 THEN token_digests || $4::text ELSE ARRAY[$4::text] END
        WHERE issuer_id = $1 AND subject = $2
          AND (token_issued_at IS NULL OR token_issued_at < $3
            OR token_issued_at = $3 AND $4::text <> ALL (token_digests))`,
      [issuer.id, subject, new Date(issuedAt * 1000), digest],
    );
    if (changed > 0) await this.database.affected(recordLogin('$1'), [userId]);
    return changed > 0;
  }
}

/** Two texts instead of a condition that allows NULL, which no prepared plan could look up by primary key. */
function selectForRequest(workspaceId?: string): string {
  return `
    SELECT f.user_id AS "userId", f.client_id AS "clientId", c.allowed_scopes AS "allowedScopes",
           ${IS_ACTIVE_USER} AND (f.client_id IS NULL OR ${IS_ACTIVE_CLIENT}) AS "isActive",
           array_to_string(ARRAY(${selectWorkspaceRoles('f.user_id', 'f.client_id', workspaceId)}), ',') AS "workspaceRoles"
      FROM trusted_issuers i
      LEFT JOIN federated_identities f ON f.issuer_id = i.id AND f.subject = $2
      ${joinUserIfAny('f.user_id')}
      ${joinClientIfAny('f.client_id')}
     WHERE i.id = $1`;
}
