import type { TokenSource, TokenStore } from '@atrium/client';
import {
  IssuerClient,
  IssuerError,
  type IssuerTokens,
  type SignInIssuer,
} from '../../../../packages/sign-in/src/issuer-client.js';
import { UsageError } from '../exit-codes.js';

/** The refresh token has expired, was revoked, or was used before (RFC 6749, section 5.2). */
const ENDED = 'invalid_grant';

/**
 * The sign-in of a person at an issuer. Processes that share a store share it: each refresh token is presented once.
 */
export class IssuerSession implements TokenSource {
  #tokens: IssuerTokens | undefined;
  #renewal: Promise<string> | undefined;

  constructor(
    private readonly issuer: SignInIssuer,
    private readonly store: TokenStore,
  ) {}

  /**
   * Stores the tokens of a new sign-in, and ends the former one. The page of the issuer is not needed again, so its
   * token is not stored.
   */
  async begin({ idToken: _, ...tokens }: IssuerTokens): Promise<void> {
    const former = await this.replace(tokens);
    this.#tokens = tokens;
    await this.revoke(former);
  }

  /** @throws {UsageError} if the person must sign in again */
  async getAccessToken(): Promise<string> {
    if (isFresh(this.#tokens)) return this.#tokens.accessToken;
    this.#renewal ??= this.store
      .exclusively(() => this.renew())
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  async signOut(): Promise<void> {
    await this.#renewal?.catch(() => undefined);
    this.#tokens = undefined;
    await this.revoke(await this.replace(undefined).catch(() => undefined));
  }

  /** Another process may renew the former tokens: what it stores is replaced, too. @returns the former tokens */
  private replace(tokens: IssuerTokens | undefined): Promise<IssuerTokens | undefined> {
    return this.store.exclusively(async () => {
      const former = await this.store.load();
      await this.store.save(tokens);
      return former;
    });
  }

  /** Never fails: tokens that cannot be revoked expire. */
  private async revoke({ refreshToken }: Partial<IssuerTokens> = {}): Promise<void> {
    if (refreshToken === undefined) return;
    await IssuerClient.discover(this.issuer)
      .then((client) => client.revoke(refreshToken))
      .catch(() => undefined);
  }

  private async renew(): Promise<string> {
    const stored = await this.store.load();
    const tokens = isFresh(stored) ? stored : await this.requestTokens(stored);
    this.#tokens = tokens;
    return tokens.accessToken;
  }

  private async requestTokens(stored: IssuerTokens | undefined): Promise<IssuerTokens> {
    const { refreshToken } = stored ?? {};
    if (!stored || refreshToken === undefined) throw this.createEnd();
    try {
      const client = await IssuerClient.discover(this.issuer);
      const { idToken: _, ...tokens } = await client.renew({ ...stored, refreshToken });
      await this.store.save(tokens);
      return tokens;
    } catch (error) {
      if (!(error instanceof IssuerError)) throw error;
      if (error.code !== ENDED) throw new UsageError(`${error.message} Run the command again.`);
      await this.store.save(undefined);
      throw this.createEnd();
    }
  }

  private createEnd(): UsageError {
    return new UsageError(`The sign-in with ${this.issuer.name} has ended. Run \`atrium login --issuer\`.`);
  }
}

function isFresh(tokens: IssuerTokens | undefined): tokens is IssuerTokens {
  return tokens !== undefined && Date.now() < tokens.renewAt;
}
