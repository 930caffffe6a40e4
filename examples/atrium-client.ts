import { setTimeout as sleep } from 'node:timers/promises';
import { AtriumError, UnreachableError } from './atrium-error.js';
import type { BulkResult, Envelope, TableBatch, TokenResponse } from './contract.js';
import type { Credentials } from './credentials.js';

const MAX_TRIES = 8;
/** Tries without a response, with pauses of 1, 2, 4 and 8 seconds: long enough for a restart of the service. */
const MAX_TRIES_WITHOUT_RESPONSE = 5;
/** A longer wait is a block, not overload (30 minutes at the token endpoint): fail instead of waiting. */
const MAX_WAIT_S = 60;
const REQUEST_TIMEOUT_MS = 120_000;
const SIGN_OUT_TIMEOUT_MS = 5_000;

interface Session {
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds at which the access token is renewed, before it expires. */
  renewAt: number;
}

interface Call {
  body?: unknown;
  /** Whether the call needs a session: all calls except those of the token endpoint. */
  authorized?: boolean;
  /** Whether the call may be sent again after no response, although the first one may have taken effect. */
  repeatable?: boolean;
  signal?: AbortSignal;
}

/**
 * A client for one run of a program. It signs in with the first call, renews its session, and ends it with `signOut`.
 * A user has at most 10 sessions, each valid for a week: a script that does not sign out fails on its eleventh run.
 *
 * Concurrent calls share one session and renew it once.
 */
export class AtriumClient {
  private session: Session | undefined;
  private renewal: Promise<Session> | undefined;

  /** @param signal aborts running calls, for example on Ctrl-C. */
  constructor(
    private readonly credentials: Credentials,
    private readonly signal?: AbortSignal,
  ) {}

  /** Signs in before the first call, so that wrong credentials are reported before any work. */
  async signIn(): Promise<void> {
    await this.currentSession();
  }

  /**
   * Creates or updates rows by their primary key. A batch is stored completely or not at all. The same batch sent twice
   * changes nothing the second time, so it is safe to repeat.
   *
   * @throws {AtriumError} with the errors of all rows, if the service rejects the batch.
   */
  async bulk(tables: TableBatch[]): Promise<BulkResult> {
    const path = `/v2/api/workspaces/${encodeURIComponent(this.credentials.workspaceId)}/cw/bulk`;
    return await this.post(path, { body: { tables }, authorized: true, repeatable: true });
  }

  /**
   * Ends the session, also after an abort. Never fails: a session that cannot be ended expires. It is ended by its
   * refresh token, because an expired access token would need a renewal first.
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
   * One renewal at a time, which all callers await. Two concurrent ones would present the same refresh token twice. The
   * service treats this as theft and ends all sessions of the user.
   */
  private renew(): Promise<Session> {
    this.renewal ??= this.newSession().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  private async newSession(): Promise<Session> {
    const granted = (await this.refreshGrant()) ?? (await this.passwordGrant());
    // One minute before the expiry, or a third of the lifetime if it is short.
    const lifetimeMs = granted.expires_in * 1000;
    const renewAt = Date.now() + lifetimeMs - Math.min(60_000, lifetimeMs / 3);
    this.session = { accessToken: granted.access_token, refreshToken: granted.refresh_token, renewAt };
    return this.session;
  }

  private async refreshGrant(): Promise<TokenResponse | undefined> {
    if (!this.session) return undefined;
    const body = { grant_type: 'refresh_token', refresh_token: this.session.refreshToken };
    try {
      return await this.post<TokenResponse>('/v1/api/oauth2/token', { body });
    } catch (error) {
      if (error instanceof AtriumError && error.status === 401) return undefined; // expired or revoked: sign in again
      throw error;
    }
  }

  private passwordGrant(): Promise<TokenResponse> {
    const { clientId, clientSecret } = this.credentials;
    const body = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
    return this.post<TokenResponse>('/v1/api/oauth2/token', { body });
  }

  /** Sends one POST, with retries if the error allows them. Serializes the body once: it may have tens of megabytes. */
  private async post<T>(path: string, call: Call): Promise<T> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const signal = call.signal ?? this.signal;
    let renewed = false;
    for (let tries = 1; ; tries++) {
      const session = call.authorized ? await this.currentSession() : undefined;
      try {
        return await this.tryPost<T>(path, body, session, signal);
      } catch (error) {
        if (session && !renewed && error instanceof AtriumError && error.status === 401) {
          // The token expired before it arrived (clocks differ, machines sleep): retry with a new one.
          session.renewAt = 0;
          renewed = true;
          continue;
        }
        const waitS = computeRetryDelay(error, tries, call);
        if (waitS === undefined || waitS > MAX_WAIT_S) throw error;
        // A random delay, so that connections rejected together do not retry together.
        await sleep((waitS + Math.random() / 2) * 1000, undefined, { signal });
      }
    }
  }

  private async tryPost<T>(path: string, body?: string, session?: Session, signal?: AbortSignal): Promise<T> {
    const headers = new Headers({ accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (session) headers.set('authorization', `Bearer ${session.accessToken}`);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), REQUEST_TIMEOUT_MS);
    const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    const { response, text } = await this.exchange(path, { method: 'POST', headers, body, signal: either }).finally(
      () => clearTimeout(timer),
    );
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

/** @returns `undefined` if another try would not help. */
function computeRetryDelay(error: unknown, tries: number, { repeatable }: Call): number | undefined {
  if (error instanceof AtriumError && (error.status === 429 || error.status === 503)) {
    return tries < MAX_TRIES ? (error.retryAfter ?? tries) : undefined;
  }
  if (error instanceof UnreachableError && repeatable) {
    return tries < MAX_TRIES_WITHOUT_RESPONSE ? 2 ** (tries - 1) : undefined;
  }
  return undefined;
}
