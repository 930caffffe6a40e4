import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Scope } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { UsersService } from '../users/users.service.js';
import { ClientDisabledError, ClientWithoutSecretError } from './auth.errors.js';
import type { ClientCredentials } from './client-authenticator.js';
import { ClientSecret } from './credential.entity.js';
import { CredentialsRepository } from './credentials.repository.js';
import { OAuthClient } from './oauth-client.entity.js';
import { generateSecret, SecretHasher, SHARE_SECRETS } from './secrets.js';

export type { ClientCredentials };

/** Issues, rotates and disables client credentials (specification, section 2.2). */
@Injectable()
export class ClientsService implements OnModuleInit {
  private readonly logger = new Logger('ClientsService');

  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: SecretHasher,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Reports a changed pepper: every caller would be rejected, and nothing else would show the reason. The service
   * starts anyway, so that the operator can reissue the credentials.
   */
  async onModuleInit(): Promise<void> {
    if (!(await this.credentials.haveOtherPepper(this.hasher.pepperId))) return;
    this.logger.error(
      'CREDENTIAL_PEPPER: differs from the pepper of the credentials in this database, so every client secret and API ' +
        `key is rejected. ${SHARE_SECRETS} If the value is lost, reissue the credentials.`,
    );
  }

  /** @throws {NotFoundError} if the user does not exist. */
  async create(userId: string, allowedScopes: readonly Scope[] = ['api']): Promise<ClientCredentials> {
    return this.database.transaction(async () => {
      const clientId = await this.createWithoutSecret(userId, allowedScopes);
      return { clientId, clientSecret: await this.addSecret(clientId) };
    });
  }

  /** A client that another issuer authenticates. @throws {NotFoundError} if the user does not exist. */
  async createWithoutSecret(userId: string, allowedScopes: readonly Scope[] = ['api']): Promise<string> {
    const clientId = generateSecret('wsc_');
    await this.database.transaction(async () => {
      // A deletion or an erasure of the user waits, and then finds the client.
      await this.users.lock(userId);
      await this.users.get(userId);
      await this.database.repository(OAuthClient).insert({ clientId, userId, allowedScopes: [...allowedScopes] });
      const details = { scopes: [...allowedScopes] };
      await this.audit.record({ kind: 'client_created', userId, clientId, details });
    });
    return clientId;
  }

  /**
   * Issues a new secret and revokes the client's sessions. The old secrets expire now, or after the overlap.
   *
   * @param overlapS seconds for which the old secrets are still valid.
   * @throws {NotFoundError | ClientDisabledError | ClientWithoutSecretError}
   */
  async rotate(clientId: string, overlapS = 0): Promise<ClientCredentials> {
    return this.database.transaction(async () => {
      if ((await this.lock(clientId)) === 'disabled') throw new ClientDisabledError(clientId);
      if (!(await this.database.repository(ClientSecret).existsBy({ clientId })))
        throw new ClientWithoutSecretError(clientId);
      await this.credentials.expireSecrets(clientId, overlapS);
      const clientSecret = await this.addSecret(clientId);
      const sessions = await this.sessions.revokeAll('credential_rotation', { clientId });
      await this.audit.record({ kind: 'secret_rotated', clientId, counts: { sessions } });
      return { clientId, clientSecret };
    });
  }

  /** Prevents further sign-ins of the client and revokes its sessions. @throws {NotFoundError} */
  async disable(clientId: string): Promise<void> {
    await this.database.transaction(async () => {
      await this.lock(clientId);
      await this.database.repository(OAuthClient).update({ clientId }, { status: 'disabled' });
      const sessions = await this.sessions.revokeAll('client_disabled', { clientId });
      await this.audit.record({ kind: 'client_disabled', clientId, counts: { sessions } });
    });
  }

  list(): Promise<OAuthClient[]> {
    return this.database.repository(OAuthClient).find({ order: { createdAt: 'ASC', clientId: 'ASC' } });
  }

  private async addSecret(clientId: string): Promise<string> {
    const secret = generateSecret('wss_');
    const { pepperId } = this.hasher;
    await this.database
      .repository(ClientSecret)
      .insert({ id: uuid(), clientId, hmac: this.hasher.hash(secret), pepperId });
    return secret;
  }

  private async lock(clientId: string): Promise<OAuthClient['status']> {
    const status = await this.credentials.lockClient(clientId);
    if (!status) throw new NotFoundError(`The client ${clientId}`);
    return status;
  }
}
