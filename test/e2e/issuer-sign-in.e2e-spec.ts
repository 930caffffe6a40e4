import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { CommandLine, ending } from '../support/command-line.js';
import type { Credentials } from '../support/credentials.js';
import { AUDIENCE, TestIssuer, visitDevicePages } from '../support/issuer.js';
import { completeLogin, runLogin } from '../support/issuer-login.js';
import { Operator } from '../support/operator.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const DOMAIN = 'works.example';
const NAME = 'Works';
const ISSUERS = '/v1/api/oauth2/issuers';
const NOTHING_SET = { ATRIUM_URL: '', ATRIUM_API_KEY: '', ATRIUM_WORKSPACE: '' };
/** Of access tokens that are renewed after two thirds of it. */
const SHORT_S = 3;

let database: TestDatabase;
let issuer: TestIssuer;
let service: TestService;
let operator: Operator;
let api: Api;
let owner: Credentials;

beforeAll(async () => {
  [database, issuer] = await Promise.all([TestDatabase.create(), TestIssuer.start()]);
  service = await TestService.start(database);
  operator = new Operator(service.env);
  api = new Api(service.baseUrl);
  owner = await service.provision('Vienna works');
});

afterAll(async () => {
  await service?.stop();
  issuer?.stop();
  await database?.drop();
});

const add = (url: string, ...more: string[]) =>
  operator.run('issuer', 'add', '--url', url, '--audience', AUDIENCE, ...more);

/** The sources that scripts of the page may call, and all other directives. */
async function readPolicy(path: string): Promise<{ connect: string; others: string }> {
  const policy = (await fetch(service.baseUrl + path)).headers.get('content-security-policy')!;
  const [directive] = /connect-src [^;]*/.exec(policy)!;
  return { connect: directive, others: policy.replace(directive, '') };
}

interface Document {
  components: { securitySchemes: Record<string, object> };
  security: object[];
  paths: Record<string, Record<string, { security?: object[] }>>;
}

const readDocument = async () => (await api.get('/openapi.json')).body as Document;

describe('the issuers at which people sign in', () => {
  it('are none before the operator names a client for it', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`;
    const without = { status: 200, body: { data: { items: [] } } };
    expect(await api.get(ISSUERS)).toMatchObject(without);
    expect(await add(unused, '--sign-in-name', NAME)).toMatchObject(ending(1, '--sign-in-client-id'));
    expect(await add(unused, '--sign-in-scope', 'a b')).toMatchObject(ending(2, 'scope'));
    // An issuer of programs only.
    expect(await add(unused)).toMatchObject({ code: 0 });
    expect(await api.get(ISSUERS)).toMatchObject(without);
    for (const path of ['/docs', '/tables']) expect((await readPolicy(path)).connect).toBe("connect-src 'self'");
    expect(Object.keys((await readDocument()).components.securitySchemes)).not.toContain('openIdConnect');
  });

  it('are published, permitted to the scripts of the pages, and in the OpenAPI document', async () => {
    const before = { docs: await readPolicy('/docs'), tables: await readPolicy('/tables') };
    const plain = await readDocument();
    expect(
      await add(issuer.url, '--domain', DOMAIN, '--sign-in-client-id', 'page', '--sign-in-name', NAME),
    ).toMatchObject({ code: 0 });
    const { body } = await until(
      () => api.get(ISSUERS),
      (answer) => answer.body.data.items.length > 0,
    );
    // Neither audience, domains nor claims.
    expect(body.data.items).toEqual([{ url: issuer.url, name: NAME, clientId: 'page', scopes: ['openid', 'api'] }]);
    // Assistants find the issuer by the metadata of the resource (RFC 9728).
    const resource = await api.get('/.well-known/oauth-protected-resource');
    expect(resource.body.authorization_servers).toEqual([issuer.url, expect.stringMatching(/^https?:/)]);
    for (const page of ['docs', 'tables'] as const) {
      const { connect, others } = await readPolicy(`/${page}`);
      expect([connect, others]).toEqual([`connect-src 'self' ${issuer.url}`, before[page].others]);
    }
    expect((await readPolicy('/guide/readme')).connect).toBe("connect-src 'self'");
    const listed = await readDocument();
    const openIdConnectUrl = `${issuer.url}/.well-known/openid-configuration`;
    expect(listed.components.securitySchemes['openIdConnect']).toMatchObject({
      type: 'openIdConnect',
      openIdConnectUrl,
    });
    expect(listed.security).toEqual([...plain.security, { openIdConnect: [] }]);
    const signInOf = ({ paths }: Document) => paths['/v1/api/oauth2/token']!['post']!.security;
    expect(signInOf(listed)).toEqual(signInOf(plain));
    expect(await (await fetch(`${service.baseUrl}/openapi.yaml`)).text()).toContain(openIdConnectUrl);
  });
});

describe('atrium login --issuer', () => {
  let atrium: CommandLine;
  let login: string;
  let email: string;

  beforeEach(async () => {
    atrium = new CommandLine(service, owner, NOTHING_SET);
    login = randomUUID();
    email = `${login}@${DOMAIN}`;
    await operator.json('user', 'create', '--email', email, '--workspace', owner.workspaceId);
    await issuer.setPeople({ [login]: { email, email_verified: true } });
    await issuer.setLifetime(600);
  });

  /** Signs in on the pages of the issuer. */
  async function complete(page: URL): Promise<void> {
    expect(await completeLogin(page, login)).toContain('You are signed in.');
  }

  const countRequests = async (path: string) => (await issuer.requests()).filter((each) => each === path).length;

  it('signs a person in on the pages of the issuer, and stores the tokens for its owner only', async () => {
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Vienna'),
    });
    expect((await atrium.run('whoami')).stdout).toContain(`sign-in with ${NAME}`);
    expect((await atrium.run('doctor')).code).toBe(0);
    const folder = join(atrium.directory, 'atrium');
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
    expect(readFileSync(join(folder, 'profiles.json'), 'utf8')).not.toContain('eyJ');
    const { header, value } = await atrium.json<{ header: string; value: string }>('auth', 'token');
    const answer = await fetch(`${service.baseUrl}/v1/api/workspaces`, { headers: { [header]: value } });
    expect(answer.status).toBe(200);
  });

  it('accepts only the answer to its own request', async () => {
    const forge = async (page: URL): Promise<void> => {
      const callback = new URL(page.searchParams.get('redirect_uri')!);
      callback.search = new URLSearchParams({ code: 'of-another', state: 'of-another' }).toString();
      expect((await fetch(callback)).status).toBe(400);
      callback.pathname = '/';
      expect((await fetch(callback)).status).toBe(400);
      await complete(page);
    };
    expect(await runLogin(atrium, ['--issuer', NAME], forge)).toMatchObject({ code: 0 });
  });

  it('reports that the person has rejected it, and stores nothing', async () => {
    const reject = async (page: URL): Promise<void> => {
      const callback = new URL(page.searchParams.get('redirect_uri')!);
      const [state, iss] = [page.searchParams.get('state')!, issuer.url];
      callback.search = new URLSearchParams({ error: 'access_denied', state, iss }).toString();
      await fetch(callback);
    };
    expect(await runLogin(atrium, ['--issuer'], reject)).toMatchObject(ending(1, 'access_denied'));
    expect(await atrium.run('whoami')).toMatchObject(ending(1, 'not signed in'));
  });

  it('asks on a terminal before the service receives a token of the issuer for the first time', async () => {
    const terminal = atrium.openTerminal('login', '--url', service.baseUrl, '--issuer');
    const question = `a token of ${NAME} (${issuer.url}) for the client page with the scopes openid api. Sign in? [y/N]`;
    await terminal.answer(question, 'n\r');
    expect(await terminal.ended).toBe(1);
    expect(terminal.shown).toContain('Nothing was changed.');
    expect(terminal.shown).not.toContain('in a browser');
    expect(existsSync(join(atrium.directory, 'atrium/profiles.json'))).toBe(false);
  });

  it('reports that no workspace has invited the person', async () => {
    await issuer.setPeople({ [login]: { email: `nobody@${DOMAIN}`, email_verified: true } });
    const before = await countRequests('/token/revocation');
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject(ending(1, 'not_a_member'));
    expect(await countRequests('/token/revocation')).toBe(before + 1);
  });

  it('renews the token once for parallel commands', async () => {
    await issuer.setLifetime(SHORT_S);
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({ code: 0 });
    await issuer.setLifetime(600);
    await sleep(SHORT_S * 1000);
    const before = await countRequests('/token');
    const outcomes = await Promise.all(['workspaces', 'tables', 'workspaces'].map((command) => atrium.run(command)));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await countRequests('/token')).toBe(before + 1);
  });

  it('revokes and removes the tokens at logout', async () => {
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({ code: 0 });
    const before = await countRequests('/token/revocation');
    expect(await atrium.run('logout')).toMatchObject({ code: 0 });
    expect(await countRequests('/token/revocation')).toBe(before + 1);
    const folder = join(atrium.directory, 'atrium');
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('Token');
    expect(await atrium.run('workspaces')).toMatchObject(ending(1, 'atrium login --issuer'));
  });

  it('revokes the tokens of the former sign-in', async () => {
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({ code: 0 });
    const before = await countRequests('/token/revocation');
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({ code: 0 });
    expect(await countRequests('/token/revocation')).toBe(before + 1);
    expect((await atrium.run('workspaces')).code).toBe(0);
  });

  it('leaves no tokens after a logout during a renewal', async () => {
    await issuer.setLifetime(SHORT_S);
    expect(await runLogin(atrium, ['--issuer'], complete)).toMatchObject({ code: 0 });
    await sleep(SHORT_S * 1000);
    const [renewals, revocations] = [await countRequests('/token'), await countRequests('/token/revocation')];
    const [renewing, signedOut] = await Promise.all([atrium.run('workspaces'), atrium.run('logout')]);
    const isRenewed = (await countRequests('/token')) > renewals;
    // Either of them is the first.
    expect(renewing.code).toBe(isRenewed ? 0 : 1);
    expect(signedOut.code).toBe(0);
    expect(await countRequests('/token/revocation')).toBe(revocations + 1);
    expect(await atrium.run('workspaces')).toMatchObject(ending(1, 'atrium login --issuer'));
  });

  it('signs a person in with the browser of another device', async () => {
    const visit = (page: URL) => visitDevicePages(page, login);
    expect(await runLogin(atrium, ['--device'], visit)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The code is'),
    });
    expect((await atrium.run('workspaces')).stdout).toContain('Vienna works');
  });

  it('names the issuers to choose from', async () => {
    const none = () => Promise.reject(new Error('No address was expected.'));
    expect(await runLogin(atrium, ['--issuer', 'Other'], none)).toMatchObject(ending(1, `${issuer.url}  ${NAME}`));
    expect(await atrium.run(['login', '--url', service.baseUrl, '--issuer', '--demo'])).toMatchObject(
      ending(1, 'no other credentials'),
    );
  });
});
