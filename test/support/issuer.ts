import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { CompactSign, importJWK, type JWK } from 'jose';
import * as openid from 'openid-client';
import { freePort, ROOT } from './service.js';

/** The `aud` of tokens for the service. */
export const AUDIENCE = 'https://atrium.test/api';

/** An issuer with its own keys, people and machines. */
export class TestIssuer {
  private readonly answers = new Map<string, (result: unknown) => void>();
  private commands = 0;

  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {
    child.on('message', ({ id, result }: { id: string; result: unknown }) => this.answers.get(id)?.(result));
  }

  static async start(): Promise<TestIssuer> {
    const url = `http://127.0.0.1:${await freePort()}`;
    // Its warnings are about settings of a production.
    const child = fork(join(ROOT, 'test/support/issuer-server.mjs'), [url, AUDIENCE], { stdio: 'ignore' });
    const issuer = new TestIssuer(url, child);
    await new Promise((ready, failed) => {
      issuer.answers.set('ready', ready);
      child.once('exit', () => failed(new Error('The issuer did not start.')));
    });
    return issuer;
  }

  stop(): void {
    this.child.disconnect();
  }

  /** Replaces its keys. */
  rotate(): Promise<void> {
    return this.ask('rotate');
  }

  /** Closes all connections and accepts no new ones. */
  fail(): Promise<void> {
    return this.ask('fail');
  }

  recover(): Promise<void> {
    return this.ask('recover');
  }

  /** Paths of all requests so far. */
  requests(): Promise<string[]> {
    return this.ask('requests');
  }

  /** The claims of the access tokens of each person, by login. */
  setPeople(people: Record<string, object>): Promise<void> {
    return this.ask('people', people);
  }

  /** How long the next access tokens are valid. */
  setLifetime(seconds: number): Promise<void> {
    return this.ask('lifetime', seconds);
  }

  /** Its private key. */
  key(): Promise<JWK> {
    return this.ask('key');
  }

  /** A genuine access token with these claims, as another program of this issuer would receive it. */
  async sign(claims: object, header: object = {}): Promise<string> {
    const key = await this.key();
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: this.url, aud: AUDIENCE, iat: now, exp: now + 600, scope: 'api', ...claims };
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header })
      .sign(await importJWK(key, 'RS256'), { crit: { exp: true } });
  }

  /** The token of a machine by its secret. */
  async machineToken(scope?: string): Promise<string> {
    const parameters = { resource: AUDIENCE, ...(scope ? { scope } : {}) };
    const tokens = await openid.clientCredentialsGrant(await this.discover('machine', 'machine-secret'), parameters);
    return tokens.access_token;
  }

  /** Signs a person in on the pages of the issuer: login and consent. @returns the access token. */
  async signIn(login: string, claims: object): Promise<string> {
    await this.setPeople({ [login]: claims });
    return (await this.obtainTokens(login)).access_token;
  }

  /** Signs a person in as a page does, which requires an ID token with its nonce. */
  async signInWithNonce(login: string): Promise<{ accessToken: string; idToken: string }> {
    const tokens = await this.obtainTokens(login, openid.randomNonce());
    return { accessToken: tokens.access_token, idToken: tokens.id_token! };
  }

  private async obtainTokens(login: string, nonce?: string): Promise<openid.TokenEndpointResponse> {
    const client = await this.discover('page');
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const start = openid.buildAuthorizationUrl(client, {
      redirect_uri: 'http://127.0.0.1/callback',
      scope: 'openid api',
      resource: AUDIENCE,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      ...(nonce === undefined ? {} : { nonce }),
    });
    const page = await visitPages(start, login);
    return openid.authorizationCodeGrant(
      client,
      page,
      { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce },
      { resource: AUDIENCE },
    );
  }

  private discover(clientId: string, secret?: string): Promise<openid.Configuration> {
    const authentication = secret === undefined ? openid.None() : openid.ClientSecretBasic(secret);
    return openid.discovery(new URL(this.url), clientId, undefined, authentication, {
      // oxlint-disable-next-line typescript/no-deprecated -- meant for production; the test has no TLS
      execute: [openid.allowInsecureRequests],
    });
  }

  private ask<T>(command: string, argument?: unknown): Promise<T> {
    const id = String((this.commands += 1));
    return new Promise((settle) => {
      this.answers.set(id, settle as (result: unknown) => void);
      this.child.send({ id, command, argument });
    });
  }
}

/** Signs in on the pages of an issuer without a browser: login and consent. @returns the address of the callback */
export async function visitPages(start: URL, login: string): Promise<URL> {
  const browser = new Browser();
  let page = await browser.open(start);
  for (const form of signInForms(login)) page = await browser.open(page, form);
  return page;
}

/** Accepts the code of another device, and signs in there. @param page with the code */
export async function visitDevicePages(page: URL, login: string): Promise<void> {
  const browser = new Browser();
  await browser.open(page);
  // The page sends the code, and asks whether it is that of the other device.
  await browser.open(page, browser.readHidden());
  let next = await browser.open(page, { ...browser.readHidden(), confirm: 'yes' });
  for (const form of signInForms(login)) next = await browser.open(next, form);
}

const signInForms = (login: string): Record<string, string>[] => [
  { prompt: 'login', login, password: 'any' },
  { prompt: 'consent' },
];

/** Follows redirects with the cookies of one host, until a page or the callback. */
class Browser {
  private readonly cookies = new Map<string, string>();
  private text = '';

  /** @param form sent by POST. @returns the address at the end. */
  async open(url: URL, form?: Record<string, string>): Promise<URL> {
    if (url.pathname === '/callback') return url;
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form && new URLSearchParams(form),
      redirect: 'manual',
      headers: { Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location) return this.open(new URL(location, url));
    this.text = await response.text();
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}: ${this.text}`);
    return url;
  }

  /** The hidden fields of the last page. */
  readHidden(): Record<string, string> {
    const fields = this.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
    return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]));
  }
}
