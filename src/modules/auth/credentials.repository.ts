import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { joinActiveUser } from '../users/users.clauses.js';
import type { ClientSecret } from './credential.entity.js';
import type { OAuthClient } from './oauth-client.entity.js';

export type HashedSecret = Pick<ClientSecret, 'clientId' | 'hmac' | 'pepperId'>;

/** A client whose secret was verified. */
export type AuthenticatedClient = Pick<OAuthClient, 'clientId' | 'userId' | 'allowedScopes'>;

/** Locking and set-based statements on clients and their secrets, and the joins that authenticate them. */
@Injectable()
export class CredentialsRepository {
  constructor(private readonly database: Database) {}

  /** Locks the client until the transaction ends. @returns its status; undefined if there is no such client. */
  async lockClient(clientId: string): Promise<OAuthClient['status'] | undefined> {
    const [client] = await this.database.query<Pick<OAuthClient, 'status'>>(
      'SELECT status FROM oauth_clients WHERE client_id = $1 FOR UPDATE',
      [clientId],
    );
    return client?.status;
  }

  /**
   * Finds the active client of an active user by a valid secret.
   *
   * @param isLocked prevents a rotation, a disabling and a suspension until the transaction ends. If one is in
   *   progress, this waits for it: PostgreSQL then evaluates the conditions again with the new rows. A wrong secret
   *   finds nothing and locks nothing. The order of the locks is that of a rotation: the client, then its secrets.
   */
  async findBySecret(
    { clientId, hmac, pepperId }: HashedSecret,
    isLocked: boolean,
  ): Promise<AuthenticatedClient | undefined> {
    const select = `SELECT c.client_id AS "clientId", c.user_id AS "userId", c.allowed_scopes AS "allowedScopes"
         FROM client_secrets s
         JOIN oauth_clients c ON c.client_id = s.client_id AND c.status = 'active'
         ${joinActiveUser('c.user_id')}
        WHERE s.client_id = $1 AND s.hmac = $2 AND s.pepper_id = $3 AND s.revoked_at IS NULL
          AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())`;
    const parameters = [clientId, hmac, pepperId];
    const lock = 'FOR SHARE OF c, s FOR NO KEY UPDATE OF u';
    const [client] = isLocked
      ? await this.database.query<AuthenticatedClient>(`${select} ${lock}`, parameters, 'sign-in')
      : await this.database.query<AuthenticatedClient>(select, parameters);
    return client;
  }

  /** Lets the client's current secrets expire in `overlapS` seconds, or when they would have expired anyway. */
  async expireSecrets(clientId: string, overlapS: number): Promise<void> {
    await this.database.query(
      `UPDATE client_secrets SET expires_at = least(expires_at, now() + make_interval(secs => $2))
        WHERE client_id = $1 AND revoked_at IS NULL`,
      [clientId, overlapS],
    );
  }

  /** Deletes the clients of the user with their secrets. Waits for sign-ins in progress. */
  async deleteOf(userId: string): Promise<number> {
    await this.database.query('SELECT 1 FROM oauth_clients WHERE user_id = $1 ORDER BY client_id FOR UPDATE', [userId]);
    await this.database.affected(
      'DELETE FROM client_secrets WHERE client_id IN (SELECT client_id FROM oauth_clients WHERE user_id = $1)',
      [userId],
    );
    return this.database.affected('DELETE FROM oauth_clients WHERE user_id = $1', [userId]);
  }

  /** True if there are valid credentials and all of them were hashed with another pepper. */
  async haveOtherPepper(pepperId: string): Promise<boolean> {
    // bool_and is null without credentials.
    const [row] = await this.database.query<{ haveOtherPepper: boolean | null }>(
      `SELECT bool_and(pepper_id <> $1) AS "haveOtherPepper"
         FROM (SELECT pepper_id, revoked_at, expires_at FROM client_secrets
               UNION ALL
               SELECT pepper_id, revoked_at, expires_at FROM api_keys) credentials
        WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
      [pepperId],
    );
    return row?.haveOtherPepper === true;
  }
}
