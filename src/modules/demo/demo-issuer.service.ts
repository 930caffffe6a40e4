import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { IssuersService } from '../identity/issuers.service.js';
import { UserAdministrationService } from '../users/user-administration.service.js';

/** A development package, which is absent from a production install. */
const PACKAGE = 'oidc-provider';
const HOST = '127.0.0.1';
const CLIENT_ID = 'demo';
const DOMAIN = 'atrium.local';
const PERSON = 'ada';
const LIFETIME_S = 600;

type Provider = new (url: string, options: object) => { callback(): RequestListener };

/** An identity provider for trying the sign-in of people: one person, and any password. */
@Injectable()
export class DemoIssuerService implements OnModuleDestroy {
  private server: Server | undefined;
  /** Of the issuer that is trusted until this instance stops. */
  private trusted: string | undefined;

  constructor(
    private readonly config: Config,
    private readonly issuers: IssuersService,
    private readonly users: UserAdministrationService,
  ) {}

  /**
   * Starts the issuer and trusts it. Its person is a member of the workspace.
   *
   * @returns where it is, for people.
   * @throws Error if its package is not installed, or the port is in use
   */
  async start(port: number, workspaceId: string): Promise<string> {
    const url = `http://${HOST}:${port}`;
    const Issuer = await loadProvider();
    const issuer = new Issuer(url, createOptions(this.config.http.publicUrl));
    this.server = createServer(issuer.callback());
    try {
      await once(this.server.listen(port, HOST), 'listening');
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      throw isInUse ? new Error(`DEMO_ISSUER_PORT: ${port} is in use`) : error;
    }
    await this.users.create(`${PERSON}@${DOMAIN}`, [workspaceId], 'Ada', 'editor');
    await this.trust(url);
    return `${url} (sign in as ${PERSON} with any password)`;
  }

  async onModuleDestroy(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    // Another program can listen on the port later.
    if (this.trusted !== undefined) await this.issuers.remove(this.trusted).catch(() => undefined);
  }

  private async trust(url: string): Promise<void> {
    const audience = this.config.http.publicUrl;
    // Of an instance that was killed, which may have had another port.
    const former = (await this.issuers.list()).filter(
      (each) => each.url === url || each.signIn?.clientId === CLIENT_ID,
    );
    for (const each of former) await this.issuers.remove(each.url);
    this.trusted = url;
    const signIn = { name: 'the demo issuer', clientId: CLIENT_ID, scopes: ['openid', 'api'] };
    const claims = this.issuers.parseClaims(undefined);
    await this.issuers.add({ url, audience, domains: [DOMAIN], claims, signIn });
  }
}

async function loadProvider(): Promise<Provider> {
  try {
    const name: string = PACKAGE;
    return ((await import(name)) as { default: Provider }).default;
  } catch (error) {
    const message = `DEMO_ISSUER_PORT: needs the development package ${PACKAGE}, which is not installed. Run \`npm ci\`.`;
    throw new Error(message, { cause: error });
  }
}

function createOptions(audience: string): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
  const pages = [audience, `http://${HOST}`, 'http://localhost'].flatMap((base) => [`${base}/docs`, `${base}/tables`]);
  const client = {
    client_id: CLIENT_ID,
    token_endpoint_auth_method: 'none',
    // Any port of the addresses of this computer.
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirect_uris: [`http://${HOST}/callback`, ...pages],
    post_logout_redirect_uris: pages,
    response_types: ['code'],
  };
  const resource = {
    scope: 'api',
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: LIFETIME_S,
    jwt: { sign: { alg: 'RS256' } },
  };
  return {
    jwks: { keys: [key] },
    cookies: { keys: [randomUUID()] },
    clients: [client],
    clientBasedCORS: () => true,
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => resource,
      },
    },
    issueRefreshToken: () => true,
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_: unknown, { accountId }: { accountId?: string }) =>
      accountId === PERSON ? { email: `${PERSON}@${DOMAIN}`, email_verified: true } : undefined,
  };
}
