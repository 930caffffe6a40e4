import type { createLocalJWKSet, CryptoKey, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { pauseRequest } from '../../platform/http/middleware.js';
import { isIssuerUrl } from '../../../packages/sign-in/src/issuer-url.js';
import { IssuerUnavailableError } from './identity.errors.js';

/** A file of keys or metadata. */
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 5_000;

/** After this many intervals, the keys are read again even without an unknown key. */
const MAX_AGE_INTERVALS = 10;

/** After a read that failed, unless the interval is shorter. */
const RETRY_MS = 5_000;

/** For which a token waits for keys. A longer read continues for later ones. */
const MAX_WAIT_MS = 2_000;

/** How long keys are used while the issuer does not respond. */
const MAX_OUTAGE_MS = 24 * 3600 * 1000;

interface LoadedKeys {
  find: ReturnType<typeof createLocalJWKSet>;
  /** The key set as a text: tokens are verified again when it changes. */
  text: string;
}

/** A key, and the version of the keys to which it belongs. */
interface FoundKey {
  key: CryptoKey;
  version: string;
}

/**
 * The keys of an issuer, found by OpenID Connect Discovery. One read at a time; a read that fails leaves the last keys
 * in use.
 */
export class IssuerKeys {
  private loaded: LoadedKeys | undefined;
  private loadedAt = 0;
  private attemptedAt = -Infinity;
  private failure: unknown;
  private loading: Promise<void> | undefined;

  /** @param intervalMs the least time between two reads for unknown keys. */
  constructor(
    private readonly url: string,
    private readonly intervalMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Identifies the present keys; undefined without any. Reads them in the background if they are old. */
  get version(): string | undefined {
    this.refreshOldKeys();
    return this.isUsable ? this.loaded?.text : undefined;
  }

  /** Reads the keys now. @returns why that failed; undefined if it succeeded. */
  async check(): Promise<string | undefined> {
    await this.load(0);
    return this.failure === undefined ? undefined : describe(this.failure);
  }

  /**
   * Finds the key of a token. Anybody can send one: its wait uses nothing of what other callers need.
   *
   * @throws {IssuerUnavailableError | JOSEError}
   */
  async getKey(...[header, token]: Parameters<JWTVerifyGetKey>): Promise<FoundKey> {
    const end = this.now() + MAX_WAIT_MS;
    if (!this.isUsable) await pauseRequest(this.loadUntil(end, Math.min(RETRY_MS, this.intervalMs)));
    this.refreshOldKeys();
    const first = this.get();
    try {
      return { key: await first.find(header, token), version: first.text };
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error;
      await pauseRequest(this.loadUntil(end, this.intervalMs));
      const second = this.get();
      if (second === first) throw error;
      return { key: await second.find(header, token), version: second.text };
    }
  }

  private get isUsable(): boolean {
    return this.loaded !== undefined && this.now() - this.loadedAt < MAX_OUTAGE_MS;
  }

  /** @throws {IssuerUnavailableError} */
  private get(): LoadedKeys {
    if (this.isUsable) return this.loaded!;
    throw new IssuerUnavailableError(`${this.url}: ${describe(this.failure)}`);
  }

  private refreshOldKeys(): void {
    if (this.isUsable && this.now() - this.loadedAt > MAX_AGE_INTERVALS * this.intervalMs)
      void this.load(this.intervalMs);
  }

  /** Reads the keys like `load`, and waits no longer than until `end`. */
  private async loadUntil(end: number, intervalMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.max(0, end - this.now()))));
    await Promise.race([this.load(intervalMs), timeout]);
    clearTimeout(timer);
  }

  /** Reads the keys, unless they were read less than `intervalMs` ago. Never rejects. */
  private load(intervalMs: number): Promise<void> {
    if (this.loading) return this.loading;
    if (this.now() - this.attemptedAt < intervalMs) return Promise.resolve();
    this.attemptedAt = this.now();
    this.loading = this.read()
      .then(
        (loaded) => this.accept(loaded),
        (error: unknown) => {
          this.failure = error;
        },
      )
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }

  private accept({ text, find }: LoadedKeys): void {
    if (text !== this.loaded?.text) this.loaded = { text, find };
    this.loadedAt = this.now();
    this.failure = undefined;
  }

  private async read(): Promise<LoadedKeys> {
    const metadata = (await readJson(`${this.url.replace(/\/$/, '')}/.well-known/openid-configuration`)).value as {
      issuer?: unknown;
      jwks_uri?: unknown;
    };
    if (metadata.issuer !== this.url)
      throw new Error(`its metadata name the issuer ${JSON.stringify(metadata.issuer)}`);
    const { jwks_uri: address } = metadata;
    if (!isKeysUrl(address, this.url)) throw new Error('its metadata contain no valid jwks_uri');
    const { text, value } = await readJson(address);
    const { createLocalJWKSet } = await import('jose');
    return { text, find: createLocalJWKSet(value as JSONWebKeySet) };
  }
}

/** Like the URL of an issuer; also with a query, as that of Azure AD B2C. `http` only if the issuer has it, too. */
function isKeysUrl(address: unknown, issuer: string): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const url = new URL(address);
  url.search = '';
  return isIssuerUrl(url.href) && (url.protocol === 'https:' || issuer.startsWith('http:'));
}

async function readJson(url: string): Promise<{ text: string; value: unknown }> {
  const headers = { Accept: 'application/json' };
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`${url} answered more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  return { text, value: parseStoredJson(text) };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'not read yet';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
