import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { uuid } from '../../platform/database/uuid.js';
import { Database } from '../../platform/database/database.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import { grants, type Scope, SCOPES } from '../../platform/security/scopes.js';
import { AuditService } from '../audit/audit.service.js';
import { type OwnerClause, SessionsService } from '../sessions/sessions.service.js';
import { UsersService } from '../users/users.service.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ClientDisabledError, InvalidClientError } from './auth.errors.js';
import { ClientSecret } from './credential.entity.js';
import { CredentialsRepository } from './credentials.repository.js';
import { OAuthClient } from './oauth-client.entity.js';
import { generateSecret, isWellFormedSecret, SecretHasher, SHARE_SECRETS } from './secrets.js';

export interface ClientCredentials {
  clientId: string;
  /** Returned only when it is issued; only its HMAC is stored. */
  clientSecret: string;
}

/** Reasons of a rejection, for the log. */
const MALFORMED = 'malformed credentials';
const REJECTED = 'unknown client or wrong secret';

/** A client whose secret was verified. */
export type AuthenticatedClient = Pick<OAuthClient, 'clientId' | 'userId' | 'allowedScopes'>;

/** Client credentials (specification, section 2.2). */
@Injectable()
export class ClientsService implements OnModuleInit {
  private readonly logger = new Logger('ClientsService');
  /** Compared if the client is unknown, so that it takes as long as a wrong secret. */
  private readonly decoy: Buffer;

  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: SecretHasher,
    private readonly users: UsersService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly apiKeys: ApiKeysRepository,
  ) {
    this.decoy = hasher.hash(generateSecret('wss_'));
  }

  /**
   * Registers what the deletion of a user removes, and reports a changed pepper: every caller would be rejected, and
   * nothing else would show the reason. The service starts anyway, so that the operator can reissue the credentials.
   */
  async onModuleInit(): Promise<void> {
    this.users.onDeletion(async (userId) => {
      await this.credentials.deleteOf(userId);
      await this.apiKeys.deleteOf(userId);
      // No sign-in can open a session without the clients.
      await this.sessions.deleteOf(userId);
    });
    if (!(await this.credentials.haveOtherPepper(this.hasher.pepperId))) return;
    this.logger.error(
      'CREDENTIAL_PEPPER: differs from the pepper of the credentials in this database, so every client secret and API ' +
        `key is rejected. ${SHARE_SECRETS} If the value is lost, reissue the credentials.`,
    );
  }

  /** @throws {NotFoundError} if the user does not exist. */
  async create(userId: string, allowedScopes: readonly Scope[] = ['api']): Promise<ClientCredentials> {
    const clientId = generateSecret('wsc_');
    return this.database.transaction(async () => {
      await this.users.get(userId);
      await this.database.repository(OAuthClient).insert({ clientId, userId, allowedScopes: [...allowedScopes] });
      await this.audit.record({ kind: 'client_created', userId, clientId });
      return { clientId, clientSecret: await this.addSecret(clientId) };
    });
  }

  /**
   * Issues a new secret and revokes the client's sessions. The old secrets expire now, or after the overlap.
   *
   * @param overlapS seconds for which the old secrets are still valid.
   * @throws {NotFoundError | ClientDisabledError}
   */
  async rotate(clientId: string, overlapS = 0): Promise<ClientCredentials> {
    return this.database.transaction(async () => {
      if ((await this.lock(clientId)) === 'disabled') throw new ClientDisabledError(clientId);
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

  /** The user of a client, for the log of a rejection. */
  async findUserId(clientId: string): Promise<string | undefined> {
    return (await this.database.repository(OAuthClient).findOneBy({ clientId }))?.userId;
  }

  list(): Promise<OAuthClient[]> {
    return this.database.repository(OAuthClient).find({ order: { createdAt: 'ASC' } });
  }

  /**
   * Verifies the secret. An unknown client and a wrong secret take the same code path and give the same error.
   *
   * @throws {InvalidClientError}
   */
  async authenticate({ clientId, clientSecret }: ClientCredentials): Promise<AuthenticatedClient> {
    if (!isWellFormed({ clientId, clientSecret })) throw new InvalidClientError(MALFORMED);
    const client = await this.credentials.findActiveClient(clientId, this.hasher.pepperId);
    let matches = false;
    for (const hmac of client?.hmacs ?? [this.decoy]) {
      // Every secret is compared, so that the duration does not reveal which one matches.
      if (this.hasher.matches(clientSecret, hmac)) matches = true;
    }
    if (!client || !matches) throw new InvalidClientError(REJECTED);
    return client;
  }

  /**
   * Verifies the secret in a transaction. Rotation, disabling and suspension wait until it ends, and this waits for
   * those in progress. Wrong credentials take no lock, so a client ID does not suffice to delay its client.
   *
   * The database compares the HMACs, and not in constant time: the duration reveals nothing about a secret without the
   * pepper.
   *
   * @param work receives the client.
   * @throws {InvalidClientError}
   */
  async authenticateLocked<T>(
    { clientId, clientSecret }: ClientCredentials,
    work: (client: AuthenticatedClient) => Promise<T>,
  ): Promise<T> {
    if (!isWellFormed({ clientId, clientSecret })) throw new InvalidClientError(MALFORMED);
    const hmac = this.hasher.hash(clientSecret);
    return this.database.transaction(async () => {
      const client = await this.credentials.lockForSignIn(clientId, hmac, this.hasher.pepperId);
      if (!client) throw new InvalidClientError(REJECTED);
      return work(client);
    });
  }

  /**
   * The user of the client as a part of a statement that opens a session with the scopes, which verifies the secret and
   * takes the same locks as `authenticateLocked`. Undefined if the credentials are malformed.
   */
  toOwnerClause({ clientId, clientSecret }: ClientCredentials, scopes: readonly Scope[]): OwnerClause | undefined {
    if (!isWellFormed({ clientId, clientSecret })) return undefined;
    const granting = scopes.map((scope) => SCOPES.filter((granted) => grants(granted, scope)));
    return this.credentials.toOwnerClause(clientId, this.hasher.hash(clientSecret), this.hasher.pepperId, granting);
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

function isWellFormed({ clientId, clientSecret }: ClientCredentials): boolean {
  return isWellFormedSecret('wsc_', clientId) && isWellFormedSecret('wss_', clientSecret);
}
