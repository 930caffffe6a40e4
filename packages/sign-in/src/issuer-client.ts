import * as oauth from 'oauth4webapi';
import { isIssuerUrl } from './issuer-url.js';

/** An issuer at which people sign in, as the service publishes it (`GET /v1/api/oauth2/issuers`). */
export interface SignInIssuer {
  url: string;
  name: string;
  /** A client without a secret. */
  clientId: string;
  scopes: string[];
}

/** What the start of a sign-in leaves for its end. */
export interface PendingSignIn {
  issuer: SignInIssuer;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface IssuerTokens {
  accessToken: string;
  /** Absent if the issuer does not renew. */
  refreshToken?: string;
  /** Identifies the session of the issuer when it ends. */
  idToken?: string;
  /** Epoch milliseconds at which the access token is renewed, before it expires. */
  renewAt: number;
}

/** A sign-in that the person completes on another device. */
export interface DeviceSignIn {
  /** The page of the issuer, and the code that the person enters there. */
  page: string;
  userCode: string;
  deviceCode: string;
  /** Seconds between two questions whether the person is ready. */
  intervalS: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

const TIMEOUT_MS = 30_000;
const DEVICE_INTERVAL_S = 5;

/** Of an access token whose lifetime the issuer does not state, in seconds. */
const ASSUMED_LIFETIME_S = 300;

/** The issuer did not answer, rejected a request, or its answer is not valid. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';

  constructor(
    message: string,
    /** The code of the issuer, such as `access_denied`. */
    readonly code: string | undefined,
    cause: unknown,
  ) {
    super(message, { cause });
  }

  /** No answer arrived. */
  get isUnreachable(): boolean {
    const { name, message } = this.cause as Error;
    return name === 'TimeoutError' || message === 'fetch failed';
  }
}

/** A client without a secret of an issuer. All methods throw an `IssuerError`. */
export class IssuerClient {
  private readonly client: oauth.Client;
  private readonly options: oauth.HttpRequestOptions<'POST', URLSearchParams>;

  private constructor(
    private readonly issuer: SignInIssuer,
    private readonly server: oauth.AuthorizationServer,
  ) {
    this.client = { client_id: issuer.clientId };
    this.options = requestOptions(issuer);
  }

  /** Reads the metadata of the issuer. */
  static discover(issuer: SignInIssuer): Promise<IssuerClient> {
    return attempt(issuer, async () => {
      // The service publishes it: tokens are requested neither in plain text nor from another protocol.
      if (!isIssuerUrl(issuer.url)) throw new TypeError(`"${issuer.url.slice(0, 100)}" is not the URL of an issuer`);
      const url = new URL(issuer.url);
      const response = await oauth.discoveryRequest(url, requestOptions(issuer));
      return new IssuerClient(issuer, await oauth.processDiscoveryResponse(url, response));
    });
  }

  get hasDeviceFlow(): boolean {
    return this.server.device_authorization_endpoint !== undefined;
  }

  /** @returns the page of the issuer, and what `complete` needs. */
  start(redirectUri: string): Promise<{ page: URL; pending: PendingSignIn }> {
    return attempt(this.issuer, async () => {
      const { clientId, scopes, name } = this.issuer;
      const { authorization_endpoint: endpoint } = this.server;
      if (endpoint === undefined) throw new Error(`${name} has no page to sign in`);
      const pending: PendingSignIn = {
        issuer: this.issuer,
        redirectUri,
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        codeVerifier: oauth.generateRandomCodeVerifier(),
      };
      const page = toWebPage(endpoint, this.issuer);
      if (!page) throw new TypeError(`"${endpoint.slice(0, 100)}" is not the address of a web page`);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      };
      for (const [key, value] of Object.entries(parameters)) page.searchParams.set(key, value);
      return { page, pending };
    });
  }

  /** @param parameters of the address to which the issuer has returned. */
  complete({ state, nonce, codeVerifier, redirectUri }: PendingSignIn, parameters: URLSearchParams) {
    return attempt(this.issuer, async () => {
      const { server, client, options } = this;
      const valid = oauth.validateAuthResponse(server, client, parameters, state);
      const request = [server, client, oauth.None(), valid, redirectUri, codeVerifier, options] as const;
      const response = await oauth.authorizationCodeGrantRequest(...request);
      const expected = { expectedNonce: nonce, requireIdToken: true };
      return toTokens(await oauth.processAuthorizationCodeResponse(server, client, response, expected));
    });
  }

  renew(tokens: IssuerTokens & { refreshToken: string }): Promise<IssuerTokens> {
    return attempt(this.issuer, async () => {
      const { server, client, options } = this;
      const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refreshToken, options);
      // An issuer that returns no new refresh token accepts the former one again.
      const { refreshToken, idToken } = tokens;
      return toTokens(await oauth.processRefreshTokenResponse(server, client, response), refreshToken, idToken);
    });
  }

  /** Does nothing if the issuer cannot revoke tokens. */
  revoke(refreshToken: string): Promise<void> {
    return attempt(this.issuer, async () => {
      const { server, client, options } = this;
      if (server.revocation_endpoint === undefined) return;
      const response = await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options);
      await oauth.processRevocationResponse(response);
    });
  }

  /** @returns the page that ends the session of the issuer; undefined if it has none. */
  findEndPage({ idToken }: IssuerTokens, returnTo: string): URL | undefined {
    const { end_session_endpoint: endpoint } = this.server;
    const page = endpoint === undefined ? undefined : toWebPage(endpoint, this.issuer);
    if (!page) return undefined;
    page.searchParams.set('client_id', this.issuer.clientId);
    page.searchParams.set('post_logout_redirect_uri', returnTo);
    if (idToken !== undefined) page.searchParams.set('id_token_hint', idToken);
    return page;
  }

  startOnDevice(): Promise<DeviceSignIn> {
    return attempt(this.issuer, async () => {
      const { server, client, options } = this;
      const parameters = { scope: this.issuer.scopes.join(' ') };
      const response = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options);
      const started = await oauth.processDeviceAuthorizationResponse(server, client, response);
      return {
        page: started.verification_uri_complete ?? started.verification_uri,
        userCode: started.user_code,
        deviceCode: started.device_code,
        intervalS: started.interval ?? DEVICE_INTERVAL_S,
        expiresAt: Date.now() + started.expires_in * 1000,
      };
    });
  }

  /** Throws `authorization_pending` or `slow_down` as the code of its error until the person is ready. */
  completeOnDevice({ deviceCode }: DeviceSignIn): Promise<IssuerTokens> {
    return attempt(this.issuer, async () => {
      const { server, client, options } = this;
      const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, options);
      return toTokens(await oauth.processDeviceCodeResponse(server, client, response));
    });
  }
}

function requestOptions({ url }: SignInIssuer) {
  const signal = () => AbortSignal.timeout(TIMEOUT_MS);
  // An issuer without TLS is on this computer: the service trusts no other one.
  // oxlint-disable-next-line typescript/no-deprecated -- means that it is not for production
  return { signal, [oauth.allowInsecureRequests]: url.startsWith('http:') };
}

function toTokens(granted: oauth.TokenEndpointResponse, refreshToken?: string, idToken?: string): IssuerTokens {
  const lifetimeMs = (granted.expires_in ?? ASSUMED_LIFETIME_S) * 1000;
  return {
    accessToken: granted.access_token,
    refreshToken: granted.refresh_token ?? refreshToken,
    idToken: granted.id_token ?? idToken,
    // One minute before the expiry, or a third of the lifetime if it is short.
    renewAt: Date.now() + lifetimeMs - Math.min(60_000, lifetimeMs / 3),
  };
}

/** @throws {IssuerError} */
async function attempt<Result>({ name }: SignInIssuer, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { error: code, error_description: description } = error as Partial<oauth.ResponseBodyError>;
    const reason = code === undefined ? describe(error as Error) : [code, description].filter(Boolean).join(': ');
    throw new IssuerError(`The sign-in at ${name} failed: ${reason}.`, code, error);
  }
}

function describe({ message, cause }: Error): string {
  const { code, message: detail } = (cause ?? {}) as { code?: string; message?: string };
  return message === 'fetch failed' ? (code ?? detail ?? message) : message;
}

/** The browser opens it, so it must not be a file or the address of another program. */
function toWebPage(endpoint: string, { url }: SignInIssuer): URL | undefined {
  const page = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isPermitted = page?.protocol === 'https:' || (page?.protocol === 'http:' && url.startsWith('http:'));
  return isPermitted ? page : undefined;
}
