import {
  IssuerClient,
  IssuerError,
  type IssuerTokens,
  type PendingSignIn,
  type SignInIssuer,
} from '../../../sign-in/src/issuer-client.js';

/**
 * The sign-in at an issuer, in a bundle of its own, which a page loads when it needs it. Its tokens are only in the
 * memory of the page.
 */
export class IssuerSession {
  readonly #client: IssuerClient;
  #tokens: IssuerTokens;
  #renewal: Promise<void> | undefined;

  private constructor(
    readonly issuerName: string,
    client: IssuerClient,
    tokens: IssuerTokens,
  ) {
    this.#client = client;
    this.#tokens = tokens;
  }

  /** @returns the page of the issuer, and what `complete` needs. @throws {IssuerError} */
  static async start(issuer: SignInIssuer): Promise<{ page: URL; pending: PendingSignIn }> {
    const client = await IssuerClient.discover(issuer);
    return client.start(pageUrl());
  }

  /** @param parameters with which the issuer has returned to the page. @throws {IssuerError} */
  static async complete(pending: PendingSignIn, parameters: URLSearchParams): Promise<IssuerSession> {
    const client = await IssuerClient.discover(pending.issuer);
    return new IssuerSession(pending.issuer.name, client, await client.complete(pending, parameters));
  }

  /** Epoch milliseconds at which `getAccessToken` returns another token; undefined if the issuer does not renew. */
  get renewAt(): number | undefined {
    return this.#tokens.refreshToken === undefined ? undefined : this.#tokens.renewAt;
  }

  /** Renews the token before it expires. After a failure, the service decides whether the former one is valid. */
  async getAccessToken(): Promise<string> {
    if (Date.now() >= this.#tokens.renewAt) {
      this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
      await this.#renewal;
    }
    return this.#tokens.accessToken;
  }

  /** Ends the renewal. Never fails. */
  async revoke(): Promise<void> {
    const { refreshToken, ...tokens } = this.#tokens;
    this.#tokens = tokens;
    if (refreshToken !== undefined) await this.#client.revoke(refreshToken).catch(() => undefined);
  }

  /** Ends the session of the issuer, too, on its own page, which returns to this one. Never fails. */
  async signOut(): Promise<void> {
    const page = this.#client.findEndPage(this.#tokens, pageUrl());
    await this.revoke();
    if (page) location.assign(page);
  }

  async #renew(): Promise<void> {
    const { refreshToken, ...others } = this.#tokens;
    if (refreshToken === undefined) return;
    try {
      const renewed = await this.#client.renew({ ...others, refreshToken });
      const isEnded = this.#tokens.refreshToken === undefined;
      if (!isEnded) this.#tokens = renewed;
      else if (renewed.refreshToken !== undefined) await this.#client.revoke(renewed.refreshToken);
    } catch (error) {
      // A token that the issuer has rejected must not be sent again: it may regard that as an attack.
      if (error instanceof IssuerError && error.code === 'invalid_grant') this.#tokens = others;
    }
  }
}

/** To which the issuer returns: the administrator of the issuer enters it. */
const pageUrl = () => location.origin + location.pathname;
