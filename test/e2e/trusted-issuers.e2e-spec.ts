import { createHmac, createPublicKey, type JsonWebKey, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { AUDIENCE, TestIssuer } from '../support/issuer.js';
import { Operator } from '../support/operator.js';
import { PROPERTY_CASES } from '../support/property-cases.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const TOURS = '/v1/api/tours';
/** Seconds between two reads of the keys of an issuer. */
const RELOAD_S = 2;
const DOMAIN = 'works.example';

interface AuditEntry {
  principal: object;
  details: { userId: string; issuer?: string };
}

interface AuditEvent {
  actor: object;
  data: { entry: AuditEntry };
}

describe('a trusted issuer', () => {
  let folder: string;
  let database: TestDatabase;
  let services: TestService[];
  let operator: Operator;
  let api: Api;
  let other: Api;
  let owner: Credentials;
  /** Two issuers of one kind, each with keys of its own. */
  let works: TestIssuer;
  let rival: TestIssuer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-issuers-'));
    [database, works, rival] = await Promise.all([TestDatabase.create(), TestIssuer.start(), TestIssuer.start()]);
    const settings = { ISSUER_KEYS_RELOAD_S: String(RELOAD_S) };
    services = [await TestService.start(database, settings), await TestService.start(database, settings)];
    operator = new Operator(services[0]!.env);
    [api, other] = services.map(({ baseUrl }) => new Api(baseUrl)) as [Api, Api];
    owner = await services[0]!.provision();
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    works?.stop();
    rival?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (token: string, from = api) => from.withToken(token).get(TOURS);
  const outcome = ({ status, body }: ApiResponse) => (status === 200 ? '200' : `${status} ${body.error}`);
  /** The line of a request in the log. */
  const lineOf = ({ body }: ApiResponse) =>
    until(() => {
      const lines = services[0]!.output.join('').split('\n');
      const line = lines.find((each) => each.endsWith('}') && each.includes(`"requestId":"${body.requestId}"`));
      return Promise.resolve(line === undefined ? undefined : (JSON.parse(line) as { reason?: string }));
    });
  const addIssuer = (issuer: TestIssuer, domain: string, ...more: string[]) =>
    operator.json('issuer', 'add', '--url', issuer.url, '--audience', AUDIENCE, '--domain', domain, ...more);
  const addUser = (email: string, workspaceId = owner.workspaceId, ...more: string[]) =>
    operator.json<{ id: string }>('user', 'create', '--email', email, '--workspace', workspaceId, ...more);
  const audited = (userId: string) =>
    database.query<{ kind: string; details: object }>(
      'SELECT kind, details FROM auth_events WHERE user_id = $1 ORDER BY id',
      [userId],
    );

  /** A member with a genuine token. */
  async function newMember(
    claims: object = {},
  ): Promise<{ id: string; email: string; subject: string; token: string }> {
    const subject = randomUUID();
    const email = `${subject}@${DOMAIN}`;
    const { id } = await addUser(email);
    return { id, email, subject, token: await works.sign({ sub: subject, email, email_verified: true, ...claims }) };
  }

  it('is unknown until the operator adds one: nothing differs from any other invalid token', async () => {
    const token = await works.sign({ sub: 'ada' });
    const answer = await call(token);
    expect([outcome(answer), answer.body.message]).toEqual([
      '401 invalid_token',
      'The access token is invalid. Sign in again.',
    ]);
    expect(await works.requests()).toEqual([]);
  });

  it('is rejected by the operator CLI with what is wrong', async () => {
    const add = (...args: string[]) => operator.run('issuer', 'add', '--audience', AUDIENCE, ...args);
    const file = join(folder, 'claims.json');
    writeFileSync(
      file,
      JSON.stringify({ subjekt: 'oid', memberships: [{ group: 'a', workspace: 'b', role: 'king' }] }),
    );
    const insecure = await add('--url', 'http://login.example.com');
    expect([insecure.code, insecure.stderr]).toEqual([1, expect.stringContaining('https')]);
    const wrong = await add('--url', works.url, '--claims', file);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('memberships.0.role')]);
    expect(wrong.stderr).toContain('subjekt');
    expect((await add('--url', works.url, '--domain', 'nonsense')).code).toBe(2);
    expect((await operator.run('issuer', 'add', '--url', works.url, '--audience', ' ')).code).toBe(2);
    const absent = await add('--url', works.url, '--claims', `${file}.absent`);
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringMatching(/^error: ENOENT: no such file.*absent/)]);
    for (const [content, message] of [
      ['{', `${file}: `],
      ['{"memberships":[{"group":"a","workspace":"nowhere","role":"owner"}]}', `${file}: memberships.0.workspace: The`],
      [
        JSON.stringify({ memberships: [{ group: 'a', workspace: randomUUID(), role: 'owner' }] }),
        `${file}: memberships.0.workspace: The`,
      ],
      ['{"memberships":[{"group":"a","workspace":"No where","role":"owner"}]}', `${file}: memberships.0.workspace: It`],
    ] as const) {
      writeFileSync(file, content);
      const invalid = await add('--url', works.url, '--claims', file);
      expect([invalid.code, invalid.stderr]).toEqual([1, expect.stringContaining(`error: ${message}`)]);
    }
    const sameClient = await add('--url', works.url, '--sign-in-client-id', AUDIENCE);
    expect([sameClient.code, sameClient.stderr]).toEqual([1, expect.stringContaining('an identifier of its own')]);
    const { workspaceId } = owner;
    for (const [role, message] of [
      ['owner', 'memberships.0.policy: an owner has no access policy'],
      ['editor', `memberships.0.policy: the workspace ${workspaceId} has no access policy with the ID`],
    ] as const) {
      const membership = { group: 'a', workspace: workspaceId, role, policy: randomUUID() };
      writeFileSync(file, JSON.stringify({ memberships: [membership] }));
      const policy = await add('--url', works.url, '--claims', file);
      expect([policy.code, policy.stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect(await operator.json('issuer', 'list')).toEqual([]);
  });

  describe('after the operator has added it', () => {
    beforeAll(async () => {
      expect(await addIssuer(works, DOMAIN)).toMatchObject({ url: works.url, keys: 'read' });
      const member = await newMember();
      // Each instance knows a new issuer within a second.
      for (const from of [api, other])
        await until(
          () => call(member.token, from),
          ({ status }) => status === 200,
        );
    });

    it('lets a person sign in on its pages and call every instance as the invited or provisioned user', async () => {
      const { id } = await addUser(`ada@${DOMAIN}`);
      const token = await works.signIn('ada', { email: `Ada@${DOMAIN}`, email_verified: true });
      expect((await call(token)).status).toBe(200);
      expect((await call(token, other)).status).toBe(200);
      expect((await api.withToken(token).get('/v1/api/workspaces')).body.data.items).toMatchObject([
        { id: owner.workspaceId },
      ]);
      const identity = { issuer: works.url, subject: 'ada' };
      expect((await audited(id)).filter(({ kind }) => kind !== 'member_added')).toEqual([
        { kind: 'identity_linked', details: expect.objectContaining(identity) },
        { kind: 'signed_in', details: expect.objectContaining(identity) },
      ]);
      expect(await operator.json('user', 'list')).toContainEqual(
        expect.objectContaining({ id, lastLoginAt: expect.any(String) }),
      );
    });

    it('finds the person by the subject afterwards, whatever email address the token has', async () => {
      const { subject, token } = await newMember();
      expect((await call(token)).status).toBe(200);
      expect((await call(await works.sign({ sub: subject, email: 'new@elsewhere.example' }))).status).toBe(200);
    });

    it('names an issuer that is not trusted as unknown, without any request to it', async () => {
      const before = (await rival.requests()).length;
      for (let attempt = 0; attempt < 3; attempt++) {
        const answer = await call(await rival.sign({ sub: 'eve' }));
        expect(outcome(answer)).toBe('401 unknown_issuer');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      }
      expect(await rival.requests()).toHaveLength(before);
    });

    it('states both audiences if a genuine token is for another service, and nothing if it is not genuine', async () => {
      const token = await works.sign({ sub: 'ada', aud: ['account', 'mail'] });
      const { body } = await call(token);
      expect(body).toMatchObject({ status: 401, error: 'wrong_audience' });
      expect(body.message).toContain(`"account, mail"`);
      expect(body.message).toContain(`"${AUDIENCE}"`);
      expect(outcome(await call(`${token.slice(0, -4)}AAAA`))).toBe('401 invalid_token');
    });

    it.each<[string, { email?: string; email_verified?: boolean }, string]>([
      ['without an email address', {}, 'states no verified email address'],
      ['without a verified email address', { email: 'member', email_verified: false }, 'states no verified email'],
      ['with an email address that cannot be stored', { email: `a\0@${DOMAIN}` }, 'states no verified email'],
      ['with an email address that no workspace knows', { email: `nobody@${DOMAIN}` }, 'no user has the email address'],
      ['with the address of a user in a domain of others', { email: 'ceo@elsewhere.example' }, 'not one of http'],
      ['with the address of another subject', { email: 'member' }, 'the user is another subject'],
    ])('rejects a person %s as not a member; the log has the reason', async (_, { email, ...more }, reason) => {
      await addUser('ceo@elsewhere.example');
      const member = await newMember();
      expect((await call(member.token)).status).toBe(200);
      const sub = randomUUID();
      const address = email === 'member' ? member.email : email;
      const token = await works.sign({ sub, email: address, email_verified: true, ...more });
      const answer = await call(token);
      expect(outcome(answer)).toBe('403 not_a_member');
      expect(answer.body.message).toContain('Ask an owner');
      expect((await lineOf(answer)).reason).toContain(reason);
      await call(token);
      const entries = await operator.json<{ details: object }[]>('audit', '--kind', 'refused');
      expect(entries.filter(({ details }) => (details as { subject?: string } | null)?.subject === sub)).toEqual([
        expect.objectContaining({
          userId: reason === 'the user is another subject' ? member.id : null,
          reason: expect.stringContaining(reason),
          details: { issuer: works.url, subject: sub },
        }),
      ]);
      for (const secret of [token, sub, member.email, 'ceo@', 'nobody@'])
        expect(services[0]!.output.join('')).not.toContain(secret);
    });

    it('does not let a second subject act as a user, and has no domain in common with another issuer', async () => {
      const member = await newMember();
      expect((await call(member.token)).status).toBe(200);
      const same = { email: member.email, email_verified: true };
      expect(outcome(await call(await works.sign({ sub: randomUUID(), ...same })))).toBe('403 not_a_member');
      const args = ['--url', rival.url, '--audience', AUDIENCE, '--domain', 'rival.example', DOMAIN];
      const { code, stderr } = await operator.run('issuer', 'add', ...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The issuer ${works.url} has ${DOMAIN} already.`)]);
    });

    it('accepts its tokens on every instance within a second after its audience was corrected', async () => {
      await addUser('bill@rival.example');
      const token = await rival.sign({ sub: 'bill', email: 'bill@rival.example', email_verified: true });
      await addIssuer(rival, 'rival.example', '--audience', 'https://wrong.example');
      for (const from of [api, other])
        expect(
          outcome(
            await until(
              () => call(token, from),
              (each) => outcome(each) !== '401 unknown_issuer',
            ),
          ),
        ).toBe('401 wrong_audience');
      await operator.json('issuer', 'remove', rival.url);
      await addIssuer(rival, 'rival.example');
      for (const from of [api, other])
        await until(
          () => call(token, from),
          ({ status }) => status === 200,
        );
      await operator.json('issuer', 'remove', rival.url);
      const entry = (audience: string) => ({
        details: { url: rival.url, audience, domains: ['rival.example'], signIn: null, claims: expect.any(Object) },
      });
      for (const kind of ['issuer_added', 'issuer_removed'])
        expect(await operator.json('audit', '--kind', kind, '--limit', '2')).toMatchObject([
          entry(AUDIENCE),
          entry('https://wrong.example'),
        ]);
    });

    it('does not accept an ID token, also if the service has the audience of the client', async () => {
      await addIssuer(rival, 'rival.example', '--audience', 'page');
      try {
        const { accessToken, idToken } = await rival.signInWithNonce('ida');
        await until(
          () => call(accessToken),
          (each) => outcome(each) === '401 wrong_audience',
        );
        expect(outcome(await call(idToken))).toBe('401 invalid_token');
      } finally {
        await operator.json('issuer', 'remove', rival.url);
      }
    });

    it('has no session that a caller could end here', async () => {
      const { token } = await newMember();
      const answer = await api.withToken(token).post('/v1/api/oauth2/logout');
      expect(outcome(answer)).toBe('400 invalid_request');
      expect(answer.body.message).toContain('Sign out at the issuer');
    });

    it('binds a subject once, if its first requests arrive together on two instances', async () => {
      const member = await newMember();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => call(member.token, at % 2 ? api : other)),
      );
      expect(answers.map(outcome)).toEqual(answers.map(() => '200'));
      const kinds = (await audited(member.id)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'identity_linked')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'signed_in')).toHaveLength(1);
    });

    it('binds a subject to one user, if tokens with two addresses arrive together', async () => {
      for (let round = 0; round < 5; round++) {
        const members = await Promise.all([newMember(), newMember()]);
        const sub = randomUUID();
        const tokens = await Promise.all(members.map(({ email }) => works.sign({ sub, email, email_verified: true })));
        const answers = await Promise.all([...tokens, ...tokens].map((token, at) => call(token, at % 2 ? api : other)));
        expect(answers.map(outcome).filter((each) => !['200', '403 not_a_member'].includes(each))).toEqual([]);
        const kinds = (await Promise.all(members.map(({ id }) => audited(id)))).flat().map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'identity_linked')).toHaveLength(1);
      }
    });

    it('grants the scopes of its token', async () => {
      const reader = await newMember({ scope: 'openid read:tours' });
      expect((await call(reader.token)).status).toBe(200);
      const project = { name: 'Plant' };
      const answer = await api.withToken(reader.token).post('/v1/api/projects', project);
      expect(outcome(answer)).toBe('403 insufficient_scope');
      const writer = await works.sign({ sub: reader.subject, scope: undefined });
      expect((await api.withToken(writer).post('/v1/api/projects', project)).status).toBe(201);
    });

    it('can have a token with many groups', async () => {
      const groups = Array.from({ length: 250 }, (_, at) => `group-${at}-of-the-works`);
      const { token } = await newMember({ groups });
      expect(token.length).toBeGreaterThan(7_000);
      for (const from of [api, other, api]) expect((await call(token, from)).status).toBe(200);
    });

    it('lets an invited person accept the invitation', async () => {
      const email = `invited@${DOMAIN}`;
      const invitation = { email, workspaceId: owner.workspaceId };
      expect((await api.withKey(owner.apiKey).post('/v1/api/users', invitation)).status).toBe(201);
      const guest = api.withToken(await works.sign({ sub: 'invited', email, email_verified: true }));
      expect((await guest.get(TOURS)).body.data.items).toEqual([]);
      const { items } = (await guest.get('/v1/api/users/me/invitations')).body.data;
      expect(items).toMatchObject([{ workspaceId: owner.workspaceId }]);
    });

    describe('suspension and removal', () => {
      it('the suspension of the person applies to the next request on every instance', async () => {
        const { id, token } = await newMember();
        for (const from of [api, other]) expect((await call(token, from)).status).toBe(200);
        await operator.json('user', 'suspend', id);
        for (const from of [api, other]) expect(outcome(await call(token, from))).toBe('403 not_a_member');
        await operator.json('user', 'activate', id);
        for (const from of [api, other]) expect((await call(token, from)).status).toBe(200);
      });

      it('the suspension of the membership applies to the next request', async () => {
        const { id, token } = await newMember();
        expect((await call(token)).status).toBe(200);
        const change = { status: 'suspended' };
        expect((await api.withKey(owner.apiKey).patch(`/v1/api/users/${id}`, change)).status).toBe(200);
        for (const from of [api, other]) expect(outcome(await call(token, from))).toBe('403 not_a_member');
      });

      it('no request that is sent after the answer of a suspension succeeds', async () => {
        const { id, token } = await newMember();
        expect((await call(token)).status).toBe(200);
        const late: string[] = [];
        let isAnswered = false;
        let isOver = false;
        const callers = [api, other, api, other].map(async (from) => {
          while (!isOver) {
            const wasAnswered = isAnswered;
            const answer = outcome(await call(token, from));
            if (wasAnswered) late.push(answer);
          }
        });
        await api.withKey(owner.apiKey).patch(`/v1/api/users/${id}`, { status: 'suspended' });
        isAnswered = true;
        await until(
          () => late.length,
          (count) => count > 20,
        );
        isOver = true;
        await Promise.all(callers);
        expect(new Set(late)).toEqual(new Set(['403 not_a_member']));
      });

      it('the removal of the issuer applies to the next request; added again, its subjects are found again', async () => {
        const { token, id } = await newMember();
        for (const from of [api, other]) expect((await call(token, from)).status).toBe(200);
        await operator.json('issuer', 'remove', works.url);
        for (const from of [api, other]) expect(outcome(await call(token, from))).toBe('401 invalid_token');
        await addIssuer(works, DOMAIN);
        for (const from of [api, other])
          await until(
            () => call(token, from),
            ({ status }) => status === 200,
          );
        expect((await audited(id)).filter(({ kind }) => kind === 'identity_linked')).toHaveLength(2);
      });
    });

    describe('machines', () => {
      const createClient = (...more: string[]) =>
        operator.json<{ clientId: string }>(
          ...['client', 'create', '--user', owner.userId, '--federated', `${works.url},machine`, ...more],
        );

      it('act as the user of their client, without a secret, until the client is disabled', async () => {
        const { clientId, ...rest } = await createClient('--scope', 'read:tours');
        expect(rest).not.toHaveProperty('clientSecret');
        const token = await works.machineToken();
        for (const from of [api, other]) expect((await call(token, from)).status).toBe(200);
        const answer = await api.withToken(token).post('/v1/api/projects', { name: 'Plant' });
        expect(outcome(answer)).toBe('403 insufficient_scope');
        expect((await operator.run('client', 'rotate', clientId)).stderr).toContain('has no secret');
        expect(
          (await operator.run('client', 'create', '--user', owner.userId, '--federated', `${works.url},machine`))
            .stderr,
        ).toContain('bound to another user or client');
        await operator.json('client', 'disable', clientId);
        for (const from of [api, other]) expect(outcome(await call(token, from))).toBe('403 not_a_member');
        // The subject can be bound again.
        await createClient();
        for (const from of [api, other]) expect((await call(token, from)).status).toBe(200);
      });

      it('have the scopes that both their client and their token grant', async () => {
        const machine = ['client', 'create', '--user', owner.userId, '--federated', `${works.url},another-machine`];
        await operator.json(...machine, '--scope', 'read:tours');
        for (const scope of ['api', 'write:tours']) {
          const token = await works.sign({ sub: 'another-machine', scope });
          expect([scope, (await call(token)).status]).toEqual([scope, 200]);
          const answer = await api.withToken(token).post('/v1/api/tours', {});
          expect(outcome(answer)).toBe('403 insufficient_scope');
        }
      });

      it('need an issuer that is trusted', async () => {
        const args = ['client', 'create', '--user', owner.userId, '--federated', 'https://unknown.example.com,x'];
        expect((await operator.run(...args)).stderr).toContain('issuer add');
      });
    });

    describe('attacks', () => {
      let member: Awaited<ReturnType<typeof newMember>>;

      beforeAll(async () => {
        member = await newMember();
        expect((await call(member.token)).status).toBe(200);
      });

      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const now = () => Math.floor(Date.now() / 1000);
      const claims = () => ({
        iss: works.url,
        aud: AUDIENCE,
        sub: member.subject,
        scope: 'api',
        iat: now(),
        exp: now() + 600,
      });
      const signed = (more: object, header: object = {}) => works.sign({ sub: member.subject, ...more }, header);
      async function hs256(format: 'pem' | 'der' | 'jwk'): Promise<string> {
        const { kid, ...jwk } = await works.key();
        const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
        const secret =
          format === 'jwk'
            ? JSON.stringify(key.export({ format: 'jwk' }))
            : key.export({ format: format as 'pem', type: 'spki' });
        const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${encode(claims())}`;
        return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
      }

      it.each<[string, () => Promise<string>]>([
        ['alg none', () => Promise.resolve(`${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims())}.`)],
        ['alg None', () => Promise.resolve(`${encode({ alg: 'None' })}.${encode(claims())}.AAAA`)],
        ['HS256 with the public key (PEM)', () => hs256('pem')],
        ['HS256 with the public key (DER)', () => hs256('der')],
        ['HS256 with the public key (JWK)', () => hs256('jwk')],
        ['the key of another issuer', () => rival.sign({ ...claims() })],
        [
          'the key of another issuer under the same kid',
          async () => rival.sign(claims(), { kid: (await works.key()).kid }),
        ],
        ['its own key in the header', async () => rival.sign(claims(), { jwk: await rival.key() })],
        ['an address of keys in the header', () => rival.sign(claims(), { jku: `${rival.url}/jwks` })],
        ['crit', () => signed({}, { crit: ['exp'], exp: 1 })],
        ['typ of an ID token', () => signed({}, { typ: 'id_token+jwt' })],
        ['typ of a logout token', () => signed({}, { typ: 'logout+jwt' })],
        ['the claim typ of an ID token of Keycloak', () => signed({ typ: 'ID' })],
        ['a key that the caller must prove to have', () => signed({ cnf: { jkt: 'x' } })],
        ['expired', () => signed({ iat: now() - 700, exp: now() - 1 })],
        ['no expiry', () => signed({ exp: undefined })],
        ['an expiry that is a text', () => signed({ exp: String(now() + 600) })],
        ['a lifetime of more than a day', () => signed({ exp: now() + 24 * 3600 + 60 })],
        ['no time of issue', () => signed({ iat: undefined })],
        ['issued in the future', () => signed({ iat: now() + 120, exp: now() + 600 })],
        ['not yet valid', () => signed({ nbf: now() + 120 })],
        ['no audience', () => signed({ aud: undefined })],
        ['no subject', () => signed({ sub: undefined })],
        ['a subject that is a list', () => signed({ sub: [member.subject] })],
        ['an empty subject', () => signed({ sub: '' })],
        ['a subject that cannot be stored', () => signed({ sub: `${member.subject}\0` })],
        ['a subject that is not well-formed', () => signed({ sub: `${member.subject}\ud800` })],
      ])('a token with %s is rejected, also repeatedly', async (_, create) => {
        const token = await create();
        for (let attempt = 0; attempt < 2; attempt++) expect(outcome(await call(token))).toBe('401 invalid_token');
        expect((await lineOf(await call(token))).reason).toMatch(/\S/);
      });

      it.each([1, 700])('a token that expired %d s ago is named as expired if it is genuine', async (ago) => {
        const token = await signed({ iat: now() - 800, exp: now() - ago });
        const forged = await rival.sign({ ...claims(), exp: now() - ago }, { kid: (await works.key()).kid });
        expect((await call(token)).body.message).toBe('The access token has expired');
        expect((await call(forged)).body.message).toBe('The access token is invalid. Sign in again.');
      });

      it('a token of an issuer whose URL differs by a slash or letter case is unknown', async () => {
        for (const iss of [`${works.url}/`, works.url.toUpperCase()])
          expect(outcome(await call(await signed({ iss })))).toBe('401 unknown_issuer');
      });

      it('the token of an issuer does not act as a subject of another one', async () => {
        await addIssuer(rival, 'rival.example');
        try {
          const theirs = await rival.sign({ sub: member.subject, email: member.email, email_verified: true });
          const answer = await until(
            () => call(theirs),
            (each) => outcome(each) !== '401 unknown_issuer',
          );
          expect(outcome(answer)).toBe('403 not_a_member');
        } finally {
          await operator.json('issuer', 'remove', rival.url);
        }
      });

      it('no mutation of a genuine token is accepted', async () => {
        const parts = member.token.split('.');
        const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=~';
        const mutation = fc.record({
          at: fc.nat(member.token.length - 1),
          to: fc.constantFrom(...alphabet),
          kind: fc.constantFrom('replace', 'insert', 'remove', 'truncate', 'swap'),
        });
        let rejected = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
            let token = member.token;
            for (const { at, to, kind } of mutations) {
              if (kind === 'replace') token = token.slice(0, at) + to + token.slice(at + 1);
              else if (kind === 'insert') token = token.slice(0, at) + to + token.slice(at);
              else if (kind === 'remove') token = token.slice(0, at) + token.slice(at + 1);
              else if (kind === 'truncate') token = token.slice(0, at);
              else token = [parts[1], parts[0], parts[2]].join('.');
            }
            fc.pre(token !== member.token);
            const { status } = await call(token);
            expect(status).toBe(401);
            rejected += 1;
          }),
          { numRuns: PROPERTY_CASES * 25 },
        );
        expect(rejected).toBeGreaterThan(0);
        expect((await call(member.token)).status).toBe(200);
      });
    });

    describe('keys', () => {
      const keyRequests = async () => (await works.requests()).filter((path) => path.startsWith('/jwks')).length;

      it('are read again for an unknown key, at most once per interval, whatever number of tokens has one', async () => {
        const member = await newMember();
        expect((await call(member.token)).status).toBe(200);
        const start = Date.now();
        const before = await keyRequests();
        for (let attempt = 0; attempt < 60; attempt++)
          expect(outcome(await call(await works.sign({ sub: member.subject }, { kid: `unknown-${attempt}` })))).toBe(
            '401 invalid_token',
          );
        const intervals = Math.floor((Date.now() - start) / (RELOAD_S * 1000)) + 1;
        expect((await keyRequests()) - before).toBeLessThanOrEqual(intervals);
      });

      it('a rotation is noticed by its first token; then tokens of the former key are rejected', async () => {
        const member = await newMember();
        expect((await call(member.token)).status).toBe(200);
        await works.rotate();
        const next = await works.sign({ sub: member.subject });
        await until(
          () => call(next),
          ({ status }) => status === 200,
        );
        // The former one was verified and is cached.
        expect(outcome(await call(member.token))).toBe('401 invalid_token');
      });

      it('remain in use while the issuer does not respond', async () => {
        const member = await newMember();
        expect((await call(member.token)).status).toBe(200);
        await works.fail();
        try {
          expect((await call(member.token)).status).toBe(200);
          const unseen = await works.sign({ sub: member.subject });
          expect((await call(unseen)).status).toBe(200);
          expect(outcome(await call(await works.sign({ sub: member.subject }, { kid: 'unknown' })))).toBe(
            '401 invalid_token',
          );
          expect((await call(unseen)).status).toBe(200);
        } finally {
          await works.recover();
        }
      });

      it('of an issuer that never responded make it unavailable, until it responds', async () => {
        await rival.fail();
        const { keys } = await addIssuer(rival, 'rival.example');
        expect(keys).toContain('fetch failed');
        await addUser('bob@rival.example');
        const token = await rival.sign({ sub: 'bob', email: 'bob@rival.example', email_verified: true });
        try {
          const answer = await until(
            () => call(token),
            (each) => outcome(each) !== '401 unknown_issuer',
          );
          expect(outcome(answer)).toBe('503 issuer_unavailable');
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
          expect(answer.body.message).not.toContain(rival.url);
          expect((await lineOf(answer)).reason).toContain(`${rival.url}: fetch failed`);
        } finally {
          await rival.recover();
        }
        await until(
          () => call(token),
          ({ status }) => status === 200,
        );
        await operator.json('issuer', 'remove', rival.url);
      });
    });
  });

  it('maps groups to roles, at the first request of a newer token', async () => {
    const file = join(folder, 'mapping.json');
    const workspace = owner.workspaceId;
    const memberships = [
      { group: 'Atrium.Owners', workspace, role: 'owner' },
      { group: 'Atrium.Editors', workspace, role: 'editor' },
    ];
    writeFileSync(file, JSON.stringify({ memberships, scopePrefix: 'atrium.' }));
    await addIssuer(rival, 'rival.example', '--preset', 'entra', '--claims', file);
    const { id } = await addUser('carol@rival.example');
    const issuedAt = Math.floor(Date.now() / 1000) - 100;
    const tokenWith = (roles: string[] | undefined, at: number, more: object = {}) =>
      rival.sign({
        oid: 'carol',
        sub: 'pairwise',
        email: 'carol@rival.example',
        xms_edov: '1',
        scp: 'atrium.api',
        roles,
        iat: issuedAt + at,
        ...more,
      });
    const role = async (token: string) => {
      const answer = await until(
        () => call(token),
        (each) => outcome(each) !== '401 unknown_issuer',
      );
      expect(outcome(answer)).toBe('200');
      const [member] = await database.query<{ role: string }>(
        'SELECT role FROM workspace_members WHERE user_id = $1 AND workspace_id = $2',
        [id, workspace],
      );
      return member!.role;
    };
    expect(await role(await tokenWith(['Atrium.Owners', 'Other'], 1))).toBe('owner');
    expect(await role(await tokenWith(['Atrium.Editors'], 3))).toBe('editor');
    // An older token no longer counts.
    expect(await role(await tokenWith(['Atrium.Owners'], 2))).toBe('editor');
    // The groups are elsewhere, because they are too many.
    expect(await role(await tokenWith(undefined, 4, { _claim_names: { roles: 'src1' } }))).toBe('editor');
    expect(await role(await tokenWith(undefined, 5))).toBe('reader');
    // Another token of this second counts once, also if another instance receives it again.
    const [sameSecond, second] = [await tokenWith(['Atrium.Editors'], 5), await tokenWith(['Atrium.Owners'], 5)];
    expect(await role(sameSecond)).toBe('editor');
    expect(await role(second)).toBe('owner');
    expect((await call(sameSecond, other)).status).toBe(200);
    expect(await role(second)).toBe('owner');
    expect((await audited(id)).filter(({ kind }) => kind === 'signed_in')).toHaveLength(6);
    expect((await audited(id)).filter(({ kind }) => kind === 'member_changed')).toHaveLength(5);
    const changes = `/v2/api/workspaces/${workspace}/audit?kind=member_changed`;
    const { items } = (await api.withKey(owner.apiKey).get(changes)).body.data as { items: AuditEntry[] };
    const ofUser = items.filter(({ details }) => details.userId === id);
    expect(ofUser).toHaveLength(5);
    for (const { principal, details } of ofUser) {
      expect(principal).toEqual({ type: 'service', id: null, name: null });
      expect(details.issuer).toBe(rival.url);
    }
    expect((await api.withKey(owner.apiKey).get(`${changes}&principal=${id}`)).body.data.items).toEqual([]);
    const path = `/v2/api/workspaces/${workspace}/events?types=audit.member_changed`;
    const causedBy = (
      await until(
        async () => (await api.withKey(owner.apiKey).get(path)).body.data.events as AuditEvent[],
        (events) => events.length === items.length,
      )
    ).filter(({ data }) => data.entry.details.userId === id);
    expect(causedBy.map(({ actor }) => actor)).toEqual(ofUser.map(() => ({ userId: null, source: 'service' })));
  });

  it('whose mapping names a deleted access policy gives no access to its workspace, and to all others', async () => {
    const second = await services[0]!.provision();
    const policies = `/v2/api/workspaces/${second.workspaceId}/access-policies`;
    const theirs = api.withKey(second.apiKey);
    const { id: policy } = (await theirs.post(policies, { name: 'Contractors' })).body.data;
    const file = join(folder, 'deleted-policy.json');
    const memberships = [
      { group: 'contractors', workspace: second.workspaceId, role: 'editor', policy },
      { group: 'contractors', workspace: owner.workspaceId, role: 'editor' },
    ];
    writeFileSync(file, JSON.stringify({ memberships }));
    await operator.run('issuer', 'remove', rival.url);
    await addIssuer(rival, 'rival.example', '--claims', file);
    const email = 'dora@rival.example';
    const { id } = await addUser(email, owner.workspaceId, '--role', 'reader');
    await addUser(email, second.workspaceId);
    expect((await theirs.delete(`${policies}/${policy}`)).status).toBe(200);
    const token = await rival.sign({ sub: 'dora', email, email_verified: true, groups: ['contractors'] });
    const answer = await until(
      () => api.withToken(token).get('/v1/api/workspaces'),
      ({ status }) => status === 200,
    );
    expect(answer.body.data.items).toEqual([expect.objectContaining({ id: owner.workspaceId })]);
    const roles = await database.query(
      'SELECT workspace_id, role, status FROM workspace_members WHERE user_id = $1 ORDER BY status',
      [id],
    );
    expect(roles).toEqual([
      { workspace_id: owner.workspaceId, role: 'editor', status: 'active' },
      { workspace_id: second.workspaceId, role: 'editor', status: 'suspended' },
    ]);
  });
});
