import { setTimeout as sleep } from 'node:timers/promises';
import { AtriumError, UnreachableError } from './atrium-error.js';
import type { BulkResult, Envelope, TableBatch, TokenResponse } from './contract.js';
import type { Credentials } from './credentials.js';

const MAX_TRIES = 8;
/** Of a call that nobody answers, with 1, 2, 4 and 8 seconds between: time enough for the service to be restarted. */
const MAX_TRIES_UNANSWERED = 5;
/** A longer wait than this is not overload but a block (the token endpoint's is 30 minutes): better to stop and say so. */
const MAX_WAIT_S = 60;
const REQUEST_TIMEOUT_MS = 120_000;
const SIGN_OUT_TIMEOUT_MS = 5_000;

interface Session {
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds from which the access token is renewed, some time before it ends. */
  renewAt: number;
}

interface Call {
  body?: unknown;
  /** Whether it takes a session: all calls but those that ask for tokens. */
  authorised?: boolean;
  /** Whether the call may be sent again when no answer came, not knowing whether the first one took effect. */
  repeatable?: boolean;
  signal?: AbortSignal;
}

/**
 * A client for one run of a program: it signs in when it is first needed, keeps its session fresh, and ends it with
 * `signOut`. A user has at most 10 sessions, each of a week: a script that does not sign out locks itself out on its
 * eleventh run.
 *
 * Safe to use from many places at once: they share one session, and renew it once.
 */
export class AtriumClient {
  private session: Session | undefined;
  private renewal: Promise<Session> | undefined;

  /** @param signal ends whatever is under way, for example on Ctrl-C. */
  constructor(
    private readonly credentials: Credentials,
    private readonly signal?: AbortSignal,
  ) {}

  /** Signs in now rather than with the first call, so that wrong credentials are known before any work is done. */
  async signIn(): Promise<void> {
    await this.currentSession();
  }

  /**
   * Creates or updates rows by their primary key. A batch is stored as a whole or not at all, and the same batch sent
   * twice changes nothing the second time: that is what makes it safe to repeat.
   *
   * @throws {AtriumError} with all errors of the rows, when the service refuses them.
   */
  async bulk(tables: TableBatch[]): Promise<BulkResult> {
    const path = `/v2/api/workspaces/${encodeURIComponent(this.credentials.workspaceId)}/cw/bulk`;
    return await this.post(path, { body: { tables }, authorised: true, repeatable: true });
  }

  /**
   * Ends the session. Works after an abort too, and never fails: a session that cannot be ended expires by itself.
   * By its refresh token, since an access token that has ended would have to be renewed first.
   */
  async signOut(): Promise<void> {
    if (!this.session) return;
    const { clientId, clientSecret } = this.credentials;
    const body = { token: this.session.refreshToken, client_id: clientId, client_secret: clientSecret };
    const signal = AbortSignal.timeout(SIGN_OUT_TIMEOUT_MS);
    await this.post('/v1/api/oauth2/revoke', { body, repeatable: true, signal }).catch(() => undefined);
    this.session = undefined;
  }

  private async currentSession(): Promise<Session> {
    return this.session && Date.now() < this.session.renewAt ? this.session : await this.renew();
  }

  /**
   * One renewal at a time, which all callers await. Two at once would present the same refresh token twice, and the
   * service takes that for theft: it ends all sessions of the user.
   */
  private renew(): Promise<Session> {
    this.renewal ??= this.newSession().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  private async newSession(): Promise<Session> {
    const granted = (await this.refreshed()) ?? (await this.passwordGrant());
    // A minute early, or a third of the token's life where that is short.
    const lifetimeMs = granted.expires_in * 1000;
    const renewAt = Date.now() + lifetimeMs - Math.min(60_000, lifetimeMs / 3);
    this.session = { accessToken: granted.access_token, refreshToken: granted.refresh_token, renewAt };
    return this.session;
  }

  private async refreshed(): Promise<TokenResponse | undefined> {
    if (!this.session) return undefined;
    const body = { grant_type: 'refresh_token', refresh_token: this.session.refreshToken };
    try {
      return await this.post<TokenResponse>('/v1/api/oauth2/token', { body });
    } catch (error) {
      if (error instanceof AtriumError && error.status === 401) return undefined; // expired or revoked: sign in anew
      throw error;
    }
  }

  private passwordGrant(): Promise<TokenResponse> {
    const { clientId, clientSecret } = this.credentials;
    const body = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
    return this.post<TokenResponse>('/v1/api/oauth2/token', { body });
  }

  /** One POST, with as many tries as its failures allow. The body is made once: it may be tens of megabytes. */
  private async post<T>(path: string, call: Call): Promise<T> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const signal = call.signal ?? this.signal;
    let renewed = false;
    for (let tries = 1; ; tries++) {
      const session = call.authorised ? await this.currentSession() : undefined;
      try {
        return await this.tryPost<T>(path, body, session, signal);
      } catch (error) {
        if (session && !renewed && error instanceof AtriumError && error.status === 401) {
          // The token ended on its way (clocks differ, machines sleep): once more with a new one.
          session.renewAt = 0;
          renewed = true;
          continue;
        }
        const waitS = secondsToNextTry(error, tries, call);
        if (waitS === undefined || waitS > MAX_WAIT_S) throw error;
        // A little chance, so that connections that were refused together do not come back together.
        await sleep((waitS + Math.random() / 2) * 1000, undefined, { signal });
      }
    }
  }

  private async tryPost<T>(path: string, body?: string, session?: Session, signal?: AbortSignal): Promise<T> {
    const headers = new Headers({ accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (session) headers.set('authorization', `Bearer ${session.accessToken}`);
    const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const { response, text } = await this.exchange(path, {
      method: 'POST',
      headers,
      body,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    if (!response.ok) throw AtriumError.from(response, text);
    return (JSON.parse(text) as Envelope<T>).data;
  }

  private async exchange(path: string, request: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const response = await fetch(this.credentials.baseUrl + path, request);
      return { response, text: await response.text() };
    } catch (error) {
      if (this.signal?.aborted) throw error;
      throw new UnreachableError(this.credentials.baseUrl, { cause: error });
    }
  }
}

/** @returns `undefined` where another try would not help. */
function secondsToNextTry(error: unknown, tries: number, { repeatable }: Call): number | undefined {
  if (error instanceof AtriumError && (error.status === 429 || error.status === 503)) {
    return tries < MAX_TRIES ? (error.retryAfter ?? tries) : undefined;
  }
  if (error instanceof UnreachableError && repeatable) {
    return tries < MAX_TRIES_UNANSWERED ? 2 ** (tries - 1) : undefined;
  }
  return undefined;
}
