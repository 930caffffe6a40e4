import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { UsersService } from '../users/users.service.js';
import { ClientDisabledError, InvalidClientError } from './auth.errors.js';
import { ClientSecret } from './client-secret.entity.js';
import { OAuthClient } from './oauth-client.entity.js';
import { isWellFormedSecret, makeSecret } from './secret.js';
import { SecretVault } from './secret-vault.js';

export interface ClientCredentials {
  clientId: string;
  /** Shown once: it cannot be read again. */
  clientSecret: string;
}

/** A client that has shown its secret. */
type AuthenticatedClient = Pick<OAuthClient, 'clientId' | 'userId' | 'allowedScopes'>;

/** Client credentials (specification, section 2.2). */
@Injectable()
export class ClientsService {
  /** Compared with where there is no such client, so that it takes as long as a wrong secret. */
  private readonly nobody: Buffer;

  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {
    this.nobody = vault.hmac(makeSecret('wss_'));
  }

  /** @throws {NotFoundError} where there is no such user. */
  async create(userId: string, allowedScopes: readonly Scope[] = ['api']): Promise<ClientCredentials> {
    const clientId = makeSecret('wsc_');
    return this.database.transaction(async () => {
      await this.users.get(userId);
      await this.database.manager.insert(OAuthClient, { clientId, userId, allowedScopes: [...allowedScopes] });
      await this.audit.record({ kind: 'client_created', userId, clientId });
      return { clientId, clientSecret: await this.addSecret(clientId) };
    });
  }

  /**
   * Issues a new secret and ends the client's sessions. The old secrets end now, or after the overlap.
   *
   * @param overlapS seconds for which the old secrets still work.
   * @throws {NotFoundError | ClientDisabledError}
   */
  async rotate(clientId: string, overlapS = 0): Promise<ClientCredentials> {
    return this.database.transaction(async () => {
      if ((await this.lock(clientId)) === 'disabled') throw new ClientDisabledError(clientId);
      await this.database.query(
        `UPDATE client_secrets SET expires_at = least(expires_at, now() + make_interval(secs => $2))
          WHERE client_id = $1 AND revoked_at IS NULL`,
        [clientId, overlapS],
      );
      const clientSecret = await this.addSecret(clientId);
      const sessions = await this.sessions.revokeAllOfClient(clientId, 'credential_rotation');
      await this.audit.record({ kind: 'secret_rotated', clientId, counts: { sessions } });
      return { clientId, clientSecret };
    });
  }

  /** The client can no longer sign in, and its sessions end. @throws {NotFoundError} */
  async disable(clientId: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.lock(clientId);
      await this.database.query(
        `UPDATE oauth_clients SET status = 'disabled', updated_at = now() WHERE client_id = $1`,
        [clientId],
      );
      const sessions = await this.sessions.revokeAllOfClient(clientId, 'client_disabled');
      await this.audit.record({ kind: 'client_disabled', clientId, counts: { sessions } });
    });
  }

  list(): Promise<OAuthClient[]> {
    return this.database.manager.find(OAuthClient, { order: { createdAt: 'ASC' } });
  }

  /**
   * Keeps the client and its user as they are until the transaction ends: a rotation, a disabling or a suspension waits,
   * or has happened before. What was true of them before this may be true no more after it.
   */
  async hold(clientId: string): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM oauth_clients c JOIN users u ON u.id = c.user_id
        WHERE c.client_id = $1 FOR SHARE OF c FOR NO KEY UPDATE OF u`,
      [clientId],
    );
  }

  /**
   * The active client of an active user to whom the secret belongs. An unknown client and a wrong secret take the
   * same path and give the same error.
   *
   * @throws {InvalidClientError}
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<AuthenticatedClient> {
    const wellFormed = isWellFormedSecret('wsc_', clientId) && isWellFormedSecret('wss_', clientSecret);
    const client = wellFormed ? await this.findActive(clientId) : undefined;
    let matched = false;
    for (const hmac of client?.hmacs ?? [this.nobody]) {
      // Every secret is compared: the time must not tell which one matched.
      if (this.vault.matches(clientSecret, hmac)) matched = true;
    }
    if (!client || !matched)
      throw new InvalidClientError(wellFormed ? 'no such client, or another secret' : 'malformed credentials');
    return client;
  }

  /**
   * The client with the secrets that work, where it has any. They work by the clock, and not by the time the transaction
   * began: a rotation for which it waited has happened before.
   */
  private async findActive(clientId: string): Promise<(AuthenticatedClient & { hmacs: Buffer[] }) | undefined> {
    const [client] = await this.database.query<AuthenticatedClient & { hmacs: Buffer[] }>(
      `SELECT c.client_id AS "clientId", c.user_id AS "userId", c.allowed_scopes AS "allowedScopes",
              array_agg(s.hmac) AS hmacs
         FROM client_secrets s
         JOIN oauth_clients c ON c.client_id = s.client_id AND c.status = 'active'
         JOIN users u ON u.id = c.user_id AND u.status = 'active'
        WHERE s.client_id = $1 AND s.pepper_id = $2 AND s.revoked_at IS NULL
          AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
        GROUP BY c.client_id`,
      [clientId, this.vault.pepperId],
    );
    return client;
  }

  private async addSecret(clientId: string): Promise<string> {
    const secret = makeSecret('wss_');
    const { pepperId } = this.vault;
    await this.database.manager.insert(ClientSecret, { id: uuid(), clientId, hmac: this.vault.hmac(secret), pepperId });
    return secret;
  }

  private async lock(clientId: string): Promise<OAuthClient['status']> {
    const [client] = await this.database.query<Pick<OAuthClient, 'status'>>(
      'SELECT status FROM oauth_clients WHERE client_id = $1 FOR UPDATE',
      [clientId],
    );
    if (!client) throw new NotFoundError(`The client ${clientId}`);
    return client.status;
  }
}
