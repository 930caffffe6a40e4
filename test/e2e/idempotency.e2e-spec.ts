import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { loadDocument } from '../support/openapi.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text } from '../support/tables.js';

const PROJECTS = '/v1/api/projects';
const TOURS = '/v1/api/tours';
const TIMEOUT_MS = 30_000;

/** A response with its body as text. */
interface Sent {
  status: number;
  replayed: boolean;
  headers: Record<string, string | null>;
  body: string;
}

describe('Idempotency-Key', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;
  let tables: Tables;

  // Requests wait for locks that the tests hold, which takes long on a busy machine.
  const longTimeouts = { DATABASE_LOCK_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, longTimeouts);
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    tables = Tables.of(service, me);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  async function send(path: string, body: unknown, key: string, caller = api): Promise<Sent> {
    const { status, headers, ...answer } = await fetch(caller.baseUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...caller.headers },
      body: JSON.stringify(body),
    }).then(async (response) => ({ status: response.status, headers: response.headers, body: await response.text() }));
    const compared = ['etag', 'content-type', 'location', 'link', 'retry-after', 'cache-control'];
    return {
      status,
      replayed: headers.get('idempotent-replayed') === 'true',
      headers: Object.fromEntries(compared.map((name) => [name, headers.get(name)])),
      ...answer,
    };
  }

  const dataOf = ({ body }: Sent) => JSON.parse(body).data;
  const errorOf = ({ status, body }: Sent) => [status, JSON.parse(body).error];
  const count = async (sql: string, ...parameters: unknown[]) =>
    Number((await database.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, parameters))[0]!.count);
  const projectsNamed = (name: string) => count('projects WHERE name = $1', name);
  const keysNamed = (key: string) => count('idempotency_keys WHERE key = $1', key);

  /** Waits until the number of requests that wait for a lock, in a statement with this beginning, is reached. */
  async function untilBlocked(requests: number, statement = ''): Promise<void> {
    const blocked = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(query, $1)`;
    for (const end = Date.now() + TIMEOUT_MS; (await count(blocked, statement)) < requests;) {
      await delay(20);
      if (Date.now() > end) throw new Error(`Fewer than ${requests} requests wait for a lock`);
    }
  }

  const batch = (name: string, rows = 3) => ({
    locations: [{ name, columns: [text('TPLNR')], items: manyRows(rows, (position) => ({ tplnr: keyAt(position) })) }],
  });
  const bulkPath = (query = '') => `/v2/api/workspaces/${me.workspaceId}/cw/locations/bulk${query}`;

  describe('a repeated request returns the first response', () => {
    let project: string;

    beforeAll(async () => {
      project = (await api.post(PROJECTS, { name: 'Toured' })).body.data.id;
    });

    it.each<[string, () => [path: string, body: unknown], () => Promise<number>]>([
      ['a project', () => [PROJECTS, { name: 'Again' }], () => projectsNamed('Again')],
      ['a tour', () => [TOURS, { projectId: project, title: 'Again' }], () => count("tours WHERE title = 'Again'")],
    ])('a repeated request returns an identical body: %s', async (_, request, countCreated) => {
      const key = randomUUID();
      const first = await send(...request(), key);
      expect([first.status, first.replayed]).toEqual([201, false]);
      await delay(5);
      for (let time = 0; time < 3; time++) {
        expect(await send(...request(), key)).toEqual({ ...first, replayed: true });
      }
      expect(await countCreated()).toBe(1);
      expect((await send(...request(), randomUUID())).body).not.toBe(first.body);
    });

    it('a repeated request returns the stored headers, and new ones for those that differ per request', async () => {
      const key = randomUUID();
      const ids = [];
      for (let time = 0; time < 2; time++) {
        const { headers } = await api.post(PROJECTS, { name: 'Tagged' }, { 'Idempotency-Key': key });
        expect([headers.get('etag'), headers.get('cache-control')]).toEqual([
          expect.stringMatching(/^"1-[\w-]{10}"$/),
          'no-store',
        ]);
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
        ids.push(headers.get('x-request-id'));
      }
      expect(ids[0]).not.toBe(ids[1]);
    });

    it('a repeated batch returns identical bytes, although a second batch would change nothing', async () => {
      const key = randomUUID();
      const first = await send(bulkPath('?return=items'), batch('Replayed'), key);
      expect(first.status).toBe(201);
      expect(await send(bulkPath('?return=items'), batch('Replayed'), key)).toEqual({ ...first, replayed: true });
      expect(await tables.revision('locations', 'Replayed')).toBe(1);
      expect(dataOf(await send(bulkPath('?return=items'), batch('Replayed'), randomUUID())).totals.unchanged).toBe(3);
    });
  });

  it('accepts the same values in another order, with other spaces and escapes', async () => {
    const [key, headers] = [randomUUID(), { 'Content-Type': 'application/json' }];
    const texts = ['{"name":"Größe","description":"a/b"}', '{ "description": "a\\/b",\n "name": "Gr\\u00f6\u00dfe" }'];
    const sent = [];
    for (const text of texts)
      sent.push(await api.post(PROJECTS, Buffer.from(text), { ...headers, 'Idempotency-Key': key }));
    expect(sent.map(({ status }) => status)).toEqual([201, 201]);
    expect(sent[1]!.body).toEqual(sent[0]!.body);
    expect(await projectsNamed('Größe')).toBe(1);
  });

  it('rejects the same key for another request, which has no effect', async () => {
    const key = randomUUID();
    const first = await send(PROJECTS, { name: 'Original' }, key);
    const others: [string, unknown][] = [
      [PROJECTS, { name: 'Another' }],
      [PROJECTS, { name: 'Original', description: 'x' }],
      [TOURS, { name: 'Original' }],
    ];
    for (const [path, body] of others) {
      expect(errorOf(await send(path, body, key))).toEqual([422, 'idempotency_key_reused']);
    }
    const headers: Record<string, string>[] = [{ 'If-Match': '"1"' }, { 'X-Claim-Token': randomUUID() }];
    for (const header of headers) {
      const answer = await api.post(PROJECTS, { name: 'Original' }, { 'Idempotency-Key': key, ...header });
      expect([answer.status, answer.body.error]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(await projectsNamed('Another')).toBe(0);
    expect((await send(PROJECTS, { name: 'Original' }, key)).body).toBe(first.body);
    const dry = randomUUID();
    expect((await send(bulkPath('?dryRun=true'), batch('Other query'), dry)).status).toBe(200);
    expect(errorOf(await send(bulkPath(''), batch('Other query'), dry))).toEqual([422, 'idempotency_key_reused']);
  });

  it('an Idempotency-Key can be used again after an error, also for a corrected request', async () => {
    const key = randomUUID();
    expect((await send(PROJECTS, { name: '' }, key)).status).toBe(400);
    expect((await send(PROJECTS, { name: 'x', workspaceId: randomUUID() }, key)).status).toBe(404);
    expect(await keysNamed(key)).toBe(0);
    expect((await send(PROJECTS, { name: 'Corrected' }, key)).status).toBe(201);

    const batchKey = randomUUID();
    const wrong = batch('Corrected');
    wrong.locations[0]!.items.push({ tplnr: '' });
    expect(errorOf(await send(bulkPath(), wrong, batchKey))).toEqual([422, 'invalid_rows']);
    expect((await tables.read('locations', 'Corrected')).status).toBe(404);
    expect((await send(bulkPath(), batch('Corrected'), batchKey)).status).toBe(201);
    expect(await tables.rows('locations', 'Corrected')).toHaveLength(3);
  });

  it('stores only the response of a dry run', async () => {
    const key = randomUUID();
    const first = await send(bulkPath('?dryRun=true'), batch('Dry'), key);
    expect([first.status, dataOf(first).totals.created]).toEqual([200, 3]);
    expect(await send(bulkPath('?dryRun=true'), batch('Dry'), key)).toEqual({ ...first, replayed: true });
    expect((await tables.read('locations', 'Dry')).status).toBe(404);
    expect(await count("workspace_tables WHERE name = 'Dry'")).toBe(0);
    expect((await send(bulkPath(), batch('Dry'), randomUUID())).status).toBe(201);
  });

  it('belongs to its caller', async () => {
    const theirs = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
    const key = randomUUID();
    const mine = await send(PROJECTS, { name: 'Mine' }, key);
    const theirProject = await send(PROJECTS, { name: 'Theirs' }, key, theirs);
    expect([theirProject.status, theirProject.replayed, dataOf(theirProject).name]).toEqual([201, false, 'Theirs']);
    expect((await send(PROJECTS, { name: 'Mine' }, key)).body).toBe(mine.body);
  });

  describe('belongs to its credentials', () => {
    it('API keys of one user for two workspaces do not share responses', async () => {
      const second = await service.operator<{ id: string }>('workspace', 'create', '--name', 'Second of one user');
      const workspaces = ['--workspace', me.workspaceId, '--workspace', second.id];
      const user = await service.operator<{ id: string }>(
        ...(['user', 'create', '--email', `${randomUUID()}@example.com`, ...workspaces] as const),
      );
      const callers = await Promise.all(
        [me.workspaceId, second.id].map(async (workspaceId) => {
          const created = await service.operator<{ apiKey: string }>(
            ...(['api-key', 'create', '--user', user.id, '--workspace', workspaceId] as const),
          );
          return new Api(service.baseUrl).withKey(created.apiKey);
        }),
      );
      const key = randomUUID();
      const name = `Nightly ${key}`;
      const first = await send(PROJECTS, { name }, key, callers[0]);
      expect([first.status, dataOf(first).workspaceId]).toEqual([201, me.workspaceId]);
      expect(errorOf(await send(PROJECTS, { name }, key, callers[1]))).toEqual([422, 'idempotency_key_reused']);
      const another = await send(PROJECTS, { name }, randomUUID(), callers[1]);
      expect([another.status, dataOf(another).workspaceId]).toEqual([201, second.id]);
      expect(await send(PROJECTS, { name }, key, callers[0])).toEqual({ ...first, replayed: true });
    });

    it('a session of another client, or with other scopes, receives no stored response', async () => {
      const key = randomUUID();
      const session = await new Api(service.baseUrl).signIn(me);
      const first = await send(PROJECTS, { name: 'Of a session' }, key, session);
      const narrow = await new Api(service.baseUrl).signIn(me, ['write:projects']);
      const other = await new Api(service.baseUrl).signIn(await (await service.operatorClient()).newClient(me.userId));
      for (const caller of [api, narrow, other])
        expect(errorOf(await send(PROJECTS, { name: 'Of a session' }, key, caller))).toEqual([
          422,
          'idempotency_key_reused',
        ]);
      // The client signs in again: the response is replayed.
      const again = await new Api(service.baseUrl).signIn(me);
      expect(await send(PROJECTS, { name: 'Of a session' }, key, again)).toEqual({ ...first, replayed: true });
    });

    it('a removed member receives no stored response', async () => {
      const second = await service.operator<{ id: string }>('workspace', 'create', '--name', 'Left by a member');
      const workspaces = ['--workspace', me.workspaceId, '--workspace', second.id];
      const user = await service.operator<{ id: string }>(
        ...(['user', 'create', '--email', `${randomUUID()}@example.com`, ...workspaces] as const),
      );
      const client = await service.operator<Credentials>('client', 'create', '--user', user.id);
      const session = await new Api(service.baseUrl).signIn(client);
      const key = randomUUID();
      const body = { name: 'Confidential', workspaceId: second.id };
      expect((await send(PROJECTS, body, key, session)).status).toBe(201);
      await database.query('DELETE FROM workspace_members WHERE user_id = $1 AND workspace_id = $2', [
        user.id,
        second.id,
      ]);
      const { status, replayed } = await send(PROJECTS, body, key, session);
      expect([status, replayed]).toEqual([422, false]);
      expect((await send(PROJECTS, body, randomUUID(), session)).status).toBe(404);
    });

    it('each of two sessions ends with its own logout', async () => {
      const key = randomUUID();
      for (let number = 0; number < 2; number++) {
        const session = await new Api(service.baseUrl).signIn(me);
        expect((await send('/v1/api/oauth2/logout', {}, key, session)).status).toBe(200);
        expect((await session.get(PROJECTS)).status).toBe(401);
      }
    });
  });

  it.each(['!', '"a-b"', '~'.repeat(255)])('accepts visible ASCII: %s', async (key) => {
    const first = await send(PROJECTS, { name: 'Keyed' }, key);
    expect(first.status).toBe(201);
    expect((await send(PROJECTS, { name: 'Keyed' }, key)).body).toBe(first.body);
  });

  it.each(['', 'a b', 'ä', 'x'.repeat(256)])('rejects an invalid key with the header name: %s', async (key) => {
    const answer = await send(PROJECTS, { name: 'Misnamed' }, key);
    expect([answer.status, JSON.parse(answer.body).details.errors[0].field]).toEqual([400, 'Idempotency-Key']);
    expect(await projectsNamed('Misnamed')).toBe(0);
  });

  it('the token endpoints, routes of API keys and other methods ignore an Idempotency-Key', async () => {
    const key = randomUUID();
    const grant = { grant_type: 'password', client_id: me.clientId, client_secret: me.clientSecret };
    const anonymous = new Api(service.baseUrl);
    const [first, second] = [await anonymous.token(grant, headers(key)), await anonymous.token(grant, headers(key))];
    expect(second.body.data.access_token).not.toBe(first.body.data.access_token);
    const createKey = () => api.post(`/v2/api/workspaces/${me.workspaceId}/api-keys`, { name: 'Twice' }, headers(key));
    const [firstKey, secondKey] = [await createKey(), await createKey()];
    expect([firstKey.status, secondKey.status]).toEqual([201, 201]);
    expect(secondKey.body.data.id).not.toBe(firstKey.body.data.id);
    const { id } = (await api.post(PROJECTS, { name: 'n' })).body.data;
    const patch = (body: object): Promise<ApiResponse> =>
      api.send(`${PROJECTS}/${id}`, { method: 'PATCH', body, headers: headers(key) });
    expect([(await patch({ name: 'a' })).status, (await patch({ name: 'b' })).status]).toEqual([200, 200]);
    expect(await keysNamed(key)).toBe(0);
  });

  const headers = (key: string) => ({ 'Idempotency-Key': key });

  it('the Idempotency-Key is documented for every POST that accepts it', () => {
    const { paths } = loadDocument<any>();
    const routes = Object.entries<any>(paths).flatMap(([path, { post }]) => {
      const acceptsKey = post?.parameters?.some(({ name }: { name: string }) => name === 'Idempotency-Key');
      if (acceptsKey) expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['409', '422']));
      return post ? [[path, Boolean(acceptsKey)]] : [];
    });
    const without = routes.filter(([, acceptsKey]) => !acceptsKey).map(([path]) => path);
    // Responses with secrets are not stored, a logout concerns the session of its token, `compare` and `query` only
    // read, and receivers recognize repeated deliveries by their ID.
    expect(without.sort()).toEqual([
      '/odata/v4/{workspaceId}/{set}/$count/$query',
      '/odata/v4/{workspaceId}/{set}/$query',
      '/v1/api/oauth2/logout',
      '/v1/api/oauth2/revoke',
      '/v1/api/oauth2/token',
      '/v2/api/workspaces/{workspaceId}/api-keys',
      '/v2/api/workspaces/{workspaceId}/api-keys/{id}/rotate',
      '/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/aggregate/query',
      '/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/compare',
      '/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/items/query',
      '/v2/api/workspaces/{workspaceId}/subscriptions',
      '/v2/api/workspaces/{workspaceId}/subscriptions/{id}/deliveries/{deliveryId}/redeliver',
      '/v2/api/workspaces/{workspaceId}/subscriptions/{id}/ping',
      '/v2/api/workspaces/{workspaceId}/subscriptions/{id}/replay',
      '/v2/api/workspaces/{workspaceId}/subscriptions/{id}/secret',
    ]);
    expect(JSON.stringify(paths)).not.toContain('x-no-idempotency-key');
  });

  describe('concurrent duplicates on two instances', () => {
    let other: TestService;
    let both: Api[];

    beforeAll(async () => {
      other = await TestService.start(database, longTimeouts);
      both = [api, new Api(other.baseUrl).withKey(me.apiKey)];
    });

    afterAll(() => other?.stop());

    async function duplicates(path: string, body: unknown): Promise<Sent[]> {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => send(path, body, key, both[at % 2])));
      const rejected = answers.filter(({ status }) => status === 409);
      for (const answer of rejected) {
        expect(errorOf(answer)).toEqual([409, 'idempotency_key_in_flight']);
        expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      }
      const answered = answers.filter(({ status }) => status !== 409);
      expect(answered.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(new Set(answered.map((answer) => `${answer.status} ${answer.body}`)).size).toBe(1);
      // The rejected callers receive the same response later.
      expect((await send(path, body, key)).body).toBe(answered[0]!.body);
      return answered;
    }

    it('creates one project from 100 concurrent duplicates', async () => {
      const [answer] = await duplicates(PROJECTS, { name: 'Hundredfold' });
      expect(answer!.status).toBe(201);
      expect(await projectsNamed('Hundredfold')).toBe(1);
    });

    it('stores one batch from 100 concurrent duplicates', async () => {
      const [answer] = await duplicates(bulkPath(), batch('Hundredfold', 50));
      expect([answer!.status, dataOf(answer!).totals.created]).toEqual([201, 50]);
      expect(await tables.revision('locations', 'Hundredfold')).toBe(1);
      expect(await tables.rows('locations', 'Hundredfold')).toHaveLength(50);
    });
  });

  describe('a request in progress', () => {
    /** Pauses the creation of a project after half of its writes. */
    const pauseWrites = () => database.lock('LOCK TABLE projects IN EXCLUSIVE MODE');
    const endLease = (key: string) =>
      database.query("UPDATE idempotency_keys SET holds_until = now() - interval '1 second' WHERE key = $1", [key]);

    it('returns 409 with Retry-After to a duplicate, and has one effect', async () => {
      const key = randomUUID();
      const resume = await pauseWrites();
      const first = send(PROJECTS, { name: 'Slow' }, key);
      await untilBlocked(1);
      const second = await send(PROJECTS, { name: 'Slow' }, key);
      expect(errorOf(second)).toEqual([409, 'idempotency_key_in_flight']);
      expect(second.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(errorOf(await send(PROJECTS, { name: 'Other' }, key))).toEqual([422, 'idempotency_key_reused']);
      await resume();
      expect((await first).status).toBe(201);
      expect(await send(PROJECTS, { name: 'Slow' }, key)).toEqual({ ...(await first), replayed: true });
      expect(await projectsNamed('Slow')).toBe(1);
    });

    it('a request has no effect if another attempt acquired its lease', async () => {
      const key = randomUUID();
      const resume = await pauseWrites();
      const late = send(PROJECTS, { name: 'Overtaken' }, key);
      await untilBlocked(1);
      await endLease(key);
      const next = send(PROJECTS, { name: 'Overtaken' }, key);
      await untilBlocked(2);
      await resume();
      const [lost, won] = await Promise.all([late, next]);
      expect(errorOf(lost)).toEqual([409, 'idempotency_key_in_flight']);
      expect(lost.headers['etag']).toBeNull();
      expect([won.status, won.replayed]).toEqual([201, false]);
      expect(await projectsNamed('Overtaken')).toBe(1);
      expect(await count("directory WHERE kind = 'project'")).toBe(await count('projects'));
      expect(await send(PROJECTS, { name: 'Overtaken' }, key)).toEqual({ ...won, replayed: true });
    });

    it('renews its lease if it takes several times as long', async () => {
      const key = randomUUID();
      const resume = await pauseWrites();
      const first = send(PROJECTS, { name: 'Lasting' }, key);
      await untilBlocked(1);
      // A lease lasts 5 seconds.
      await delay(11_000);
      expect(errorOf(await send(PROJECTS, { name: 'Lasting' }, key))).toEqual([409, 'idempotency_key_in_flight']);
      await resume();
      expect((await first).status).toBe(201);
      expect(await projectsNamed('Lasting')).toBe(1);
    });

    it('succeeds after its lease has expired if no other attempt used the key', async () => {
      const key = randomUUID();
      const resume = await pauseWrites();
      const late = send(PROJECTS, { name: 'Outlasting' }, key);
      await untilBlocked(1);
      await endLease(key);
      await resume();
      expect((await late).status).toBe(201);
      expect(await send(PROJECTS, { name: 'Outlasting' }, key)).toEqual({ ...(await late), replayed: true });
    });

    /** Pauses the creation of a project before its response is stored. */
    const pauseResponse = (key: string) =>
      database.lock(`SELECT FROM idempotency_keys WHERE key = '${key}' FOR UPDATE`);

    it.each<['during its effect' | 'between its effect and its response']>([
      ['during its effect'],
      ['between its effect and its response'],
    ])(
      'a request leaves no effect if its instance is killed %s, and the key succeeds once after the lease',
      async (when) => {
        const key = randomUUID();
        const killed = await TestService.start(database, longTimeouts);
        let resume = await pauseWrites();
        const lost = send(PROJECTS, { name: when }, key, new Api(killed.baseUrl).withKey(me.apiKey));
        const cut = expect(lost).rejects.toThrow();
        await untilBlocked(1);
        if (when !== 'during its effect') {
          const resumeEffect = resume;
          resume = await pauseResponse(key);
          await resumeEffect();
          await untilBlocked(1, 'UPDATE idempotency_keys');
        }
        await killed.stop('SIGKILL');
        await cut;
        await resume();
        // The lease of five seconds may end before a busy machine sends the next request.
        await database.query("UPDATE idempotency_keys SET holds_until = now() + interval '1 minute' WHERE key = $1", [
          key,
        ]);
        expect(errorOf(await send(PROJECTS, { name: when }, key))).toEqual([409, 'idempotency_key_in_flight']);
        expect(await projectsNamed(when)).toBe(0);
        await endLease(key);
        const answer = await send(PROJECTS, { name: when }, key);
        expect([answer.status, answer.replayed]).toEqual([201, false]);
        expect(await send(PROJECTS, { name: when }, key)).toEqual({ ...answer, replayed: true });
        expect(await projectsNamed(when)).toBe(1);
        expect(await count("directory WHERE kind = 'project'")).toBe(await count('projects'));
      },
    );
  });

  it('expires after a day, and its row is removed', async () => {
    const cleaning = await TestService.start(database, { CLEANUP_INTERVAL_S: '1' });
    try {
      const caller = new Api(cleaning.baseUrl).withKey(me.apiKey);
      const key = randomUUID();
      const passTime = (time: string) =>
        database.query('UPDATE idempotency_keys SET holds_until = holds_until - $2::interval WHERE key = $1', [
          key,
          time,
        ]);
      const create = async () => dataOf(await send(PROJECTS, { name: 'Forgotten' }, key, caller)).id as string;
      const id = await create();
      await passTime('23 hours 59 minutes');
      expect(await create()).toBe(id);
      await passTime('1 minute');
      expect(await create()).not.toBe(id);
      expect(await projectsNamed('Forgotten')).toBe(2);
      await passTime('24 hours');
      for (const end = Date.now() + TIMEOUT_MS; (await keysNamed(key)) > 0 && Date.now() < end;) await delay(100);
      expect(await keysNamed(key)).toBe(0);
    } finally {
      await cleaning.stop();
    }
  });
});
