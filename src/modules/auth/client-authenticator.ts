import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { InvalidClientError } from './auth.errors.js';
import { CredentialsRepository } from './credentials.repository.js';
import { OAuthClient } from './oauth-client.entity.js';
import { generateSecret, isWellFormedSecret, SecretHasher } from './secrets.js';

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

/** Verifies client credentials (specification, section 2.2). */
@Injectable()
export class ClientAuthenticator {
  /** Compared if the client is unknown, so that it takes as long as a wrong secret. */
  private readonly decoy: Buffer;

  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly hasher: SecretHasher,
  ) {
    this.decoy = hasher.hash(generateSecret('wss_'));
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

  /** The user of a client, for the log of a rejection. */
  async findUserId(clientId: string): Promise<string | undefined> {
    return (await this.database.repository(OAuthClient).findOneBy({ clientId }))?.userId;
  }
}

function isWellFormed({ clientId, clientSecret }: ClientCredentials): boolean {
  return isWellFormedSecret('wsc_', clientId) && isWellFormedSecret('wss_', clientSecret);
}
