import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { InvalidClientError } from './auth.errors.js';
import { type AuthenticatedClient, CredentialsRepository, type HashedSecret } from './credentials.repository.js';
import { OAuthClient } from './oauth-client.entity.js';
import { isWellFormedSecret, SecretHasher } from './secrets.js';

export interface ClientCredentials {
  clientId: string;
  /** Returned only when it is issued; only its HMAC is stored. */
  clientSecret: string;
}

/** Verifies client credentials (specification, section 2.2). */
@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: SecretHasher,
  ) {}

  /**
   * Verifies the secret. An unknown client and a wrong secret take the same code path and give the same error.
   *
   * The database compares the HMACs, and not in constant time: the duration reveals nothing about a secret without the
   * pepper.
   *
   * @throws {InvalidClientError}
   */
  async authenticate(credentials: ClientCredentials): Promise<AuthenticatedClient> {
    return this.get(this.hash(credentials), false);
  }

  /**
   * Verifies the secret in a transaction. Rotation, disabling and suspension wait until it ends, and this waits for
   * those in progress. Wrong credentials take no lock, so a client ID does not suffice to delay its client.
   *
   * @param work receives the client.
   * @throws {InvalidClientError}
   */
  async authenticateLocked<T>(
    credentials: ClientCredentials,
    work: (client: AuthenticatedClient) => Promise<T>,
  ): Promise<T> {
    const secret = this.hash(credentials);
    return this.database.transaction(async () => work(await this.get(secret, true)));
  }

  private hash({ clientId, clientSecret }: ClientCredentials): HashedSecret {
    if (!isWellFormedSecret('wsc_', clientId) || !isWellFormedSecret('wss_', clientSecret))
      throw new InvalidClientError('malformed credentials');
    return { clientId, hmac: this.hasher.hash(clientSecret), pepperId: this.hasher.pepperId };
  }

  private async get(secret: HashedSecret, isLocked: boolean): Promise<AuthenticatedClient> {
    const client = await this.credentials.findBySecret(secret, isLocked);
    if (!client) throw new InvalidClientError('unknown client or wrong secret');
    return client;
  }

  /** The user of a client, for the log of a rejection. */
  async findUserId(clientId: string): Promise<string | undefined> {
    return (await this.database.repository(OAuthClient).findOneBy({ clientId }))?.userId;
  }
}
