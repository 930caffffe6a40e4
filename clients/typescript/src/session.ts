import { AtriumError, isLost } from './errors.js';
import type { Authorization, Transport } from './transport.js';

export interface Tokens {
  accessToken: string;
  refreshToken?: string;
  /** Epoch milliseconds at which the access token is renewed, before it expires. */
  renewAt: number;
}

/** Stores the tokens of a session. Processes that share a store share the session. */
export interface TokenStore {
  load(): Promise<Tokens | undefined>;
  save(tokens: Tokens | undefined): Promise<void>;
  /** Executes the work while no other user of the store executes any. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
  scope?: string[];
}

interface TokenResponse {
  access_token: string;
  refresh_token?: string;
  expires_in: number;
}

/** One process, one session. */
export class MemoryTokenStore implements TokenStore {
  #tokens: Tokens | undefined;

  load(): Promise<Tokens | undefined> {
    return Promise.resolve(this.#tokens);
  }

  save(tokens: Tokens | undefined): Promise<void> {
    this.#tokens = tokens;
    return Promise.resolve();
  }

  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

/**
 * A session by client credentials. It begins with the first request and is renewed once for all concurrent requests:
 * two renewals would present one refresh token twice, which the service treats as theft.
 */
export class SessionAuthorization implements Authorization {
  // Fields of the language, so that neither a log of the client nor its JSON contains the secrets.
  readonly #transport: Transport;
  readonly #credentials: ClientCredentials;
  readonly #store: TokenStore;
  #current: Tokens | undefined;
  #renewal: Promise<Tokens> | undefined;

  constructor(transport: Transport, credentials: ClientCredentials, store: TokenStore) {
    this.#transport = transport;
    this.#credentials = credentials;
    this.#store = store;
  }

  async headers(): Promise<Record<string, string>> {
    const tokens = isFresh(this.#current) ? this.#current : await this.renewOnce();
    return { authorization: `Bearer ${tokens.accessToken}` };
  }

  async renew({ authorization }: Record<string, string>): Promise<void> {
    // Another request may have renewed the session in the meantime.
    if (`Bearer ${this.#current?.accessToken ?? ''}` === authorization)
      await this.renewOnce(this.#current?.accessToken);
  }

  /** Never fails: a session that cannot be ended expires. */
  async signOut(): Promise<void> {
    const { clientId, clientSecret } = this.#credentials;
    // What a renewal stores is ended, too, also that of another process.
    await this.#renewal?.catch(() => undefined);
    this.#current = undefined;
    const tokens = await this.#store.exclusively(() => this.take()).catch(() => undefined);
    if (!tokens?.refreshToken) return;
    const body = { token: tokens.refreshToken, client_id: clientId, client_secret: clientSecret };
    await this.post('/v1/api/oauth2/revoke', body).catch(() => undefined);
  }

  private async take(): Promise<Tokens | undefined> {
    const tokens = await this.#store.load();
    await this.#store.save(undefined);
    return tokens;
  }

  private renewOnce(rejected?: string): Promise<Tokens> {
    this.#renewal ??= this.#store
      .exclusively(() => this.newTokens(rejected))
      .then((tokens) => (this.#current = tokens))
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  private async newTokens(rejected?: string): Promise<Tokens> {
    const stored = await this.#store.load();
    if (isFresh(stored) && stored.accessToken !== rejected) return stored;
    const granted = (stored?.refreshToken && (await this.refresh(stored))) || (await this.signIn());
    const lifetimeMs = granted.expires_in * 1000;
    const tokens: Tokens = {
      accessToken: granted.access_token,
      // One minute before the expiry, or a third of the lifetime if it is short.
      renewAt: Date.now() + lifetimeMs - Math.min(60_000, lifetimeMs / 3),
    };
    if (granted.refresh_token) tokens.refreshToken = granted.refresh_token;
    await this.#store.save(tokens);
    return tokens;
  }

  /** @returns undefined if the session has ended. */
  private async refresh(stored: Tokens): Promise<TokenResponse | undefined> {
    // Removed first: after a lost response the token must not be presented again.
    await this.#store.save(undefined);
    try {
      return await this.grant({ grant_type: 'refresh_token', refresh_token: stored.refreshToken });
    } catch (error) {
      if (!(error instanceof AtriumError) || isLost(error) || error.status === 401) return undefined;
      await this.#store.save(stored);
      throw error;
    }
  }

  private signIn(): Promise<TokenResponse> {
    const { clientId, clientSecret, scope } = this.#credentials;
    const body = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
    return this.grant(scope ? { ...body, scope } : body, true);
  }

  private async grant(body: object, isSignIn = false): Promise<TokenResponse> {
    const response = await this.post('/v1/api/oauth2/token', body, isSignIn);
    return ((await response.json()) as { data: TokenResponse }).data;
  }

  /** Without credentials. A renewal is never sent twice after a lost response. */
  private post(path: string, fields: object, isSignIn = false): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(fields);
    return this.#transport.send(path, { method: 'POST', headers, body, isSignIn });
  }
}

/** Access tokens of an identity provider, which the program obtains and renews itself. */
export interface TokenSource {
  /** A token that has not expired. It is called for each request. */
  getAccessToken(): Promise<string>;
  /** Never fails. */
  signOut(): Promise<void>;
}

function isFresh(tokens: Tokens | undefined): tokens is Tokens {
  return tokens !== undefined && Date.now() < tokens.renewAt;
}
