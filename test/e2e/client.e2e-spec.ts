import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  AtriumClient,
  type AtriumClientOptions,
  AuthenticationError,
  type Change,
  ConnectionError,
  type Filter,
  InvalidRowsError,
  InvalidWebhookError,
  NotFoundError,
  RateLimitedError,
  verifyWebhook,
  VersionMismatchError,
} from '@atrium/client';
import { FileTokenStore } from '@atrium/client/node';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

type Equipment = { equnr: string; name: string | null; weight: number | null };

const COLUMNS = [
  { key: 'equnr', name: 'EQUNR', type: 'text' },
  { key: 'name', name: 'Name', type: 'text' },
  { key: 'weight', name: 'Weight', type: 'number' },
] as const;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let service: SharedService;
let me: Credentials;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
});

const connect = (options: Partial<AtriumClientOptions> = {}): AtriumClient =>
  new AtriumClient({
    baseUrl: service.baseUrl,
    clientId: me.clientId,
    clientSecret: me.clientSecret,
    workspaceId: me.workspaceId,
    ...options,
    apiKey: undefined,
  });
const withKey = (options: Partial<AtriumClientOptions> = {}): AtriumClient =>
  new AtriumClient({ baseUrl: service.baseUrl, apiKey: me.apiKey, workspaceId: me.workspaceId, ...options });

function* equipment(count: number, from = 0): Generator<Equipment> {
  for (let index = from; index < from + count; index++)
    yield { equnr: String(index).padStart(8, '0'), name: `Pump ${index}`, weight: index };
}

/** Creates a table with rows. */
async function fill(table: string, count: number, client = withKey()) {
  await client.assets<Equipment>(table).upsert(equipment(count), { columns: [...COLUMNS] });
  return client.assets<Equipment>(table);
}

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Replaces responses: each function receives the request, and returns a response, or undefined to send it. */
function intercept(...steps: ((send: () => Promise<Response>) => Promise<Response>)[]) {
  const headers: Headers[] = [];
  const intercepted = ((url: string, init: RequestInit) => {
    headers.push(new Headers(init.headers));
    const send = () => fetch(url, init);
    return (steps.shift() ?? ((next: typeof send) => next()))(send);
  }) as typeof fetch;
  return { fetch: intercepted, headers };
}

const reply =
  (status: number, headers: Record<string, string> = {}, body: object = {}) =>
  () =>
    Promise.resolve(new Response(JSON.stringify(body), { status, headers }));

it('shows no secret in a log or in JSON', async () => {
  const session = connect();
  await session.get('/v1/api/tours');
  const token = (await session.credentials())['authorization']!.slice('Bearer '.length);
  for (const client of [session, withKey(), new AtriumClient({ baseUrl: service.baseUrl, accessToken: token })]) {
    const shown = `${inspect(client, { depth: null, showHidden: true })} ${JSON.stringify(client)}`;
    for (const secret of [me.clientSecret, me.apiKey, token]) expect(shown).not.toContain(secret);
    expect(JSON.parse(JSON.stringify(client))).toMatchObject({ baseUrl: service.baseUrl });
  }
  await session.signOut();
});

describe('sign-in', () => {
  const sessions = async (client: AtriumClient) => (await client.get('/v1/api/sessions')).items.length;

  it('opens one session for concurrent requests and ends it', async () => {
    const caller = await service.provision();
    const client = connect(caller);
    await Promise.all(Array.from({ length: 20 }, () => client.get('/v1/api/tours')));
    expect(await sessions(client)).toBe(1);
    await client.signOut();
    // The request opens another session; the first one has ended.
    expect(await sessions(client)).toBe(1);
    await client.signOut();
  });

  it('renews a session once for all clients that share a token file', async () => {
    const caller = await service.provision();
    const directory = mkdtempSync(join(tmpdir(), 'atrium-tokens-'));
    const path = join(directory, 'tokens.json');
    try {
      const open = () => connect({ ...caller, tokenStore: new FileTokenStore(path) });
      await open().get('/v1/api/tours');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      for (let round = 0; round < 3; round++) {
        const before = JSON.parse(readFileSync(path, 'utf8'));
        writeFileSync(path, JSON.stringify({ ...before, renewAt: 0 }));
        await Promise.all(Array.from({ length: 6 }, () => open().get('/v1/api/tours')));
        expect(JSON.parse(readFileSync(path, 'utf8')).refreshToken).not.toBe(before.refreshToken);
      }
      // A second use of a refresh token would have revoked all sessions of the user.
      expect(await sessions(open())).toBe(1);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('fails if the folder of a token file cannot be created', async () => {
    // Node's recursive mkdir never ends there.
    const tokenStore = new FileTokenStore('/proc/x/atrium/tokens.json');
    const client = connect({ ...(await service.provision()), tokenStore });
    await expect(client.get('/v1/api/tours')).rejects.toMatchObject({ path: '/proc/x', syscall: 'mkdir' });
  });

  it('signs in again if the response to a refresh was lost, and if the session was revoked', async () => {
    const caller = await service.provision();
    const lost = async (send: () => Promise<Response>) => {
      await send();
      throw new TypeError('connection reset');
    };
    const { fetch } = intercept(
      (send) => send(),
      (send) => send(),
      lost,
    );
    const tokens: { renewAt: number }[] = [];
    let stored: any;
    const tokenStore = {
      load: () => Promise.resolve(stored && { ...stored, renewAt: 0 }),
      save: (saved: any) => Promise.resolve((stored = saved)).then(() => void tokens.push(saved)),
      exclusively: <T>(work: () => Promise<T>) => work(),
    };
    await connect({ ...caller, fetch, tokenStore }).get('/v1/api/tours');
    const second = connect({ ...caller, fetch, tokenStore });
    expect(await second.get('/v1/api/tours')).toMatchObject({ items: [] });
    await new Api(service.baseUrl).withToken(stored.accessToken).post('/v1/api/oauth2/logout');
    expect(await second.get('/v1/api/tours')).toMatchObject({ items: [] });
  });

  it.each([502, 504])(
    'presents a refresh token once if a gateway answers %s instead of the service',
    async (status) => {
      const caller = await service.provision();
      const grants: string[] = [];
      const intercepted = (async (url: string, init: RequestInit) => {
        const response = await fetch(url, init);
        const { grant_type: grant } = JSON.parse((init.body as string | null) ?? '{}') as { grant_type?: string };
        if (grant !== undefined) grants.push(grant);
        return grant === 'refresh_token' ? new Response('', { status }) : response;
      }) as typeof fetch;
      let stored: any;
      const tokenStore = {
        load: () => Promise.resolve(stored && { ...stored, renewAt: 0 }),
        save: (saved: any) => Promise.resolve((stored = saved)).then(() => undefined),
        exclusively: <T>(work: () => Promise<T>) => work(),
      };
      const open = () => connect({ ...caller, fetch: intercepted, tokenStore });
      await open().get('/v1/api/tours');
      await open().get('/v1/api/tours');
      expect(grants).toEqual(['password', 'refresh_token', 'password']);
      // The service treats a second use as theft, and ends all sessions of the user.
      expect(await sessions(connect({ ...caller }))).toBe(3);
    },
  );

  it('is repeated twice if a gateway answers instead of the service', async () => {
    const { fetch, headers } = intercept(reply(502), reply(504), reply(502));
    const client = connect({ ...(await service.provision()), fetch });
    await expect(client.get('/v1/api/tours')).rejects.toMatchObject({ status: 502 });
    expect(headers).toHaveLength(3);
    expect(await client.get('/v1/api/tours')).toMatchObject({ items: [] });
  });

  describe('with a token file', () => {
    let path: string;

    beforeEach(() => {
      path = join(mkdtempSync(join(tmpdir(), 'atrium-locks-')), 'tokens.json');
      jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'queueMicrotask'] });
    });

    afterEach(() => {
      jest.useRealTimers();
      rmSync(join(path, '..'), { recursive: true });
    });

    /** The time of the timers passes until the work ends. */
    const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
      let failure: unknown;
      work.catch((error: unknown) => (failure = error));
      for (const startedAt = Date.now(); failure === undefined && Date.now() < startedAt + 20_000;) {
        jest.advanceTimersByTime(50);
        await turn();
      }
      return failure;
    };

    it('rejects the work if its lock is lost, and does not end the process', async () => {
      const work = new FileTokenStore(path).exclusively(() => {
        rmdirSync(`${path}.lock`);
        return new Promise(() => undefined);
      });
      expect(await failureOf(work)).toMatchObject({ name: 'LockError', message: expect.stringContaining(path) });
    });

    it('does not save the tokens of a sign-in whose lock was lost', async () => {
      let release: () => void = () => undefined;
      const released = new Promise<void>((done) => (release = done));
      const fetch = async () => {
        rmdirSync(`${path}.lock`);
        writeFileSync(path, 'of another process');
        await released;
        return reply(200, {}, { data: { access_token: 'own', expires_in: 60 } })();
      };
      const save = jest.spyOn(FileTokenStore.prototype, 'save');
      const client = connect({ tokenStore: new FileTokenStore(path), fetch });
      expect(await failureOf(client.get('/v1/api/tours'))).toMatchObject({ name: 'LockError' });
      release();
      for (let turns = 0; save.mock.results.length === 0 && turns < 1_000; turns++) await turn();
      await expect(save.mock.results[0]!.value).rejects.toThrow('was lost');
      expect(readFileSync(path, 'utf8')).toBe('of another process');
      save.mockRestore();
    });

    it('names the file if another process locks it for more than 30 seconds', async () => {
      mkdirSync(`${path}.lock`);
      const failure = await failureOf(new FileTokenStore(path).exclusively(() => Promise.resolve()));
      expect(failure).toMatchObject({ name: 'LockError', message: expect.stringMatching(/locked by another process/) });
    });
  });

  it('uses an access token that the program has obtained, and does not renew it', async () => {
    const { authorization } = await connect(await service.provision()).credentials();
    const client = new AtriumClient({
      baseUrl: service.baseUrl,
      accessToken: authorization!.replace('Bearer ', ''),
    });
    expect((await client.get('/v1/api/workspaces')).items).toHaveLength(1);
    await client.request('POST', '/v1/api/oauth2/logout');
    await expect(client.get('/v1/api/workspaces')).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('rejects wrong credentials with the message of the service', async () => {
    const failure = connect({ clientSecret: 'wrong' }).get('/v1/api/tours');
    await expect(failure).rejects.toThrow(AuthenticationError);
    await expect(failure).rejects.toMatchObject({ status: 401, code: 'invalid_client', requestId: expect.any(String) });
  });
});

describe('retries', () => {
  it('wait for Retry-After and create a note once although its response was lost', async () => {
    const title = `Lost ${Date.now()}`;
    const lost = async (send: () => Promise<Response>) => {
      await send();
      throw new TypeError('connection reset');
    };
    const { fetch, headers } = intercept(reply(503, { 'retry-after': '1' }), reply(429, { 'retry-after': '0' }), lost);
    const startedAt = Date.now();
    const note = await withKey({ fetch }).notes.create({ title });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(new Set(headers.map((sent) => sent.get('idempotency-key'))).size).toBe(1);
    expect(headers).toHaveLength(4);
    const notes = await collect(withKey().notes.list({ q: title }));
    expect(notes.map(({ id }) => id)).toEqual([note.id]);
  });

  it('repeat an upsert with its key as long as the service processes it', async () => {
    const step = reply(409, { 'retry-after': '0' }, { error: 'idempotency_key_in_flight', message: 'In flight.' });
    const { fetch, headers } = intercept(step, step, step, step);
    const columns = [{ key: 'code', name: 'Code', type: 'text' as const }];
    await withKey({ fetch })
      .assets('In flight')
      .upsert([{ code: 'A' }], { columns });
    expect(headers).toHaveLength(5);
    expect(new Set(headers.map((sent) => sent.get('idempotency-key'))).size).toBe(1);
  });

  const lose = () => Promise.reject(new TypeError('connection reset'));

  it.each([
    ['POST', 'v2/api/workspaces/W/api-keys', {}],
    ['POST', 'v2/api/workspaces/W/api-keys/K/rotate', {}],
    ['POST', 'v2/api/workspaces/W/subscriptions', { 'idempotency-key': 'own' }],
    ['PATCH', 'v1/api/projects/P', { 'if-match': '"1"' }],
    ['PUT', 'v1/api/projects/P', { 'if-match': '"1"' }],
    ['PUT', 'v1/api/projects/P', { 'if-none-match': '*' }],
  ])('leave a %s %s %j that the service may have processed', async (method, path, headers) => {
    for (const step of [lose, reply(502), reply(504)]) {
      const intercepted = intercept(step, reply(200));
      const request = withKey({ fetch: intercepted.fetch }).request(method, `/${path}`, { headers });
      await expect(request).rejects.toThrow();
      expect(intercepted.headers).toHaveLength(1);
    }
  });

  it.each([lose, reply(502)])('report that the first attempt of a deletion may have succeeded', async (step) => {
    const { fetch } = intercept(step, reply(404, {}, { message: 'The table does not exist.' }));
    const failure = withKey({ fetch }).assets('Dropped').drop();
    await expect(failure).rejects.toThrow(NotFoundError);
    await expect(failure).rejects.toThrow('may have deleted it');
  });

  it('report a download that breaks off', async () => {
    const body = () => {
      let parts = 0;
      return new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (parts++ === 0) controller.enqueue(Buffer.from('{"equnr":"1"}\n'));
          else controller.error(new TypeError('terminated'));
        },
      });
    };
    for (const options of [{}, { signal: new AbortController().signal }]) {
      const { fetch } = intercept(() => Promise.resolve(new Response(body())));
      const read = collect(withKey({ fetch }).assets('Broken').snapshot(options));
      await expect(read).rejects.toThrow(ConnectionError);
      await expect(read).rejects.toThrow(`${service.baseUrl} is not complete (terminated)`);
    }
  });

  it('do not wait for a block of half an hour', async () => {
    const body = { error: 'too_many_requests', message: 'Too many requests.' };
    const { fetch } = intercept(reply(429, { 'retry-after': '1800' }, body));
    const failure = withKey({ fetch }).get('/v1/api/tours');
    await expect(failure).rejects.toThrow(RateLimitedError);
    await expect(failure).rejects.toMatchObject({ retryAfter: 1800, code: 'too_many_requests' });
  });

  it('end with the reason of the signal', async () => {
    const { fetch } = intercept(reply(503, { 'retry-after': '30' }));
    const signal = AbortSignal.timeout(200);
    await expect(withKey({ fetch }).assets('x').changes({ since: 0, signal }).next()).rejects.toThrow('timeout');
  });

  it('end a load between two chunks if its signal is aborted', async () => {
    const interruption = new AbortController();
    const table = withKey().assets<Equipment>('Aborted');
    const load = table.upsert(equipment(1_000), {
      columns: [...COLUMNS],
      chunkSize: 100,
      signal: interruption.signal,
      onProgress: ({ rows }) => rows === 300 && interruption.abort(new Error('enough')),
    });
    await expect(load).rejects.toThrow('enough');
    expect(await collect(table.rows())).toHaveLength(300);
  });

  it('end if the signal is aborted when the response is received, but not read completely', async () => {
    await fill('Aborted reads', 1_000);
    const outcomes = new Set<string>();
    for (let attempt = 0; attempt < 100; attempt++) {
      const interruption = new AbortController();
      const { signal } = interruption;
      const { fetch } = intercept(async (send) => {
        const response = await send();
        setTimeout(() => interruption.abort(new Error('enough')), attempt % 5);
        return response;
      });
      const table = withKey({ fetch }).assets<Equipment>('Aborted reads');
      const read = collect(attempt % 2 ? table.rows({ signal }) : table.snapshot({ signal }));
      const outcome = read.then(
        () => 'read',
        (error: unknown) => (error as Error).message,
      );
      outcomes.add(await Promise.race([outcome, delay(5_000, 'pending', { ref: false })]));
    }
    expect(outcomes).toContain('enough');
    expect(outcomes).not.toContain('pending');
  });

  it('report an address without a service', async () => {
    const client = withKey({ baseUrl: `http://127.0.0.1:${await freePort()}`, maxAttempts: 2 });
    await expect(client.get('/v1/api/tours')).rejects.toThrow(ConnectionError);
  });
});

describe('tables', () => {
  it('are filled in chunks, with rows read only when they are needed', async () => {
    let read = 0;
    const ahead: number[] = [];
    function* counted() {
      for (const row of equipment(2_500)) {
        read++;
        yield row;
      }
    }
    const table = withKey().assets<Equipment>('Chunks');
    const progress: number[] = [];
    const report = await table.upsert(counted(), {
      columns: [...COLUMNS],
      chunkSize: 500,
      onProgress: ({ rows }) => {
        progress.push(rows);
        ahead.push(read - rows);
      },
    });
    expect(report).toMatchObject({
      totals: { received: 2_500, created: 2_500 },
      tables: [{ created: 2_500, unresolved: { total: 0 }, tableCreated: true }],
    });
    expect(report.batchIds).toHaveLength(5);
    expect(progress).toEqual([500, 1_000, 1_500, 2_000, 2_500]);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1_001);
    expect(await table.upsert(equipment(2_500), { connections: 3, chunkSize: 300 })).toMatchObject({
      totals: { unchanged: 2_500 },
    });
  });

  it('report invalid rows by their position in the whole load', async () => {
    const table = await fill('Invalid', 0);
    const rows = [...equipment(25)] as any[];
    rows[17].weight = 'heavy';
    const failure = await table.upsert(rows, { chunkSize: 10 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidRowsError);
    const [error] = (failure as InvalidRowsError).rows;
    expect(error).toMatchObject({ index: 17, column: 'weight', key: '00000017', code: expect.any(String) });
    rows[3].weight = 'light';
    const continued = await table.upsert(rows, { onError: 'continue', chunkSize: 10 });
    expect(continued).toMatchObject({
      totals: { received: 25, created: 14, unchanged: 9, failed: 2 },
      tables: [{ created: 14, unchanged: 9, failed: 2 }],
      errors: [{ index: 3 }, { index: 17 }],
      summary: [{ column: 'weight', count: 2 }],
      warnings: { errors: [], summary: [] },
    });
    rows[3].weight = null;
    rows[17] = rows[12];
    const duplicates = await table.upsert(rows, { chunkSize: 10 }).catch((error: unknown) => error);
    expect((duplicates as InvalidRowsError).rows).toMatchObject([
      { code: 'duplicate_in_batch', index: 12, otherIndex: 17 },
      { code: 'duplicate_in_batch', index: 17, otherIndex: 12 },
    ]);
  });

  it('reject values that JSON does not have, and leave the stored ones', async () => {
    const table = await fill('Not numbers', 1);
    const [stored] = await collect(table.rows());
    for (const value of [Number.parseFloat('heavy'), Infinity, new Date(''), 1n, () => 1]) {
      const row = { ...stored, weight: value };
      const error = { name: 'InvalidValueError', index: 1, column: 'weight' };
      await expect(table.upsert([stored!, row] as never)).rejects.toMatchObject(error);
      // The request of a stream is cut, so that nothing of it is stored.
      await expect(table.import([stored!, row])).rejects.toMatchObject(error);
    }
    await expect(table.patch(stored!.equnr, { weight: NaN })).rejects.toMatchObject({ index: 0, column: 'weight' });
    expect(await collect(table.rows())).toEqual([stored]);
  });

  it('are not stored if their source fails, whose error the caller receives', async () => {
    const table = await fill('Failing source', 1);
    const [stored] = await collect(table.rows());
    const failure = new Error('The source was closed.');
    const source = async function* () {
      await Promise.resolve();
      yield { ...stored, weight: 1 };
      throw failure;
    };
    await expect(table.import(source())).rejects.toBe(failure);
    expect(await collect(table.rows())).toEqual([stored]);
  });

  it('are read by filter and page, and as one stream', async () => {
    const table = await fill('Reading', 250);
    const heavy = await collect(table.rows({ filter: { weight: { gte: 100 } }, sort: '-weight', limit: 40 }));
    expect(heavy.map(({ weight }) => weight)).toEqual(Array.from({ length: 150 }, (_, index) => 249 - index));
    expect(await collect(table.snapshot({ filter: { equnr: '00000007' } }))).toEqual([
      { equnr: '00000007', name: 'Pump 7', weight: 7 },
    ]);
    const copy = await fill('Copied', 0);
    const sent: number[] = [];
    const report = await copy.import(await table.export(), { onProgress: (bytes) => sent.push(bytes) });
    expect(report.totals).toMatchObject({ created: 250 });
    expect(sent.at(-1)).toBeGreaterThan(5_000);
    expect(await collect(copy.rows())).toEqual(await collect(table.rows()));
  });

  it('are selected by combined conditions, with values that contain commas', async () => {
    const table = await fill('Combined', 20);
    await table.upsert([{ equnr: 'X', name: 'Pump 1, spare', weight: null }]);
    const select = async (filter: Filter<Equipment>) => (await collect(table.rows({ filter }))).map(({ name }) => name);
    expect(await select({ or: [{ weight: { between: [3, 4] } }, { name: { in: ['Pump 1, spare'] } }] })).toEqual([
      'Pump 3',
      'Pump 4',
      'Pump 1, spare',
    ]);
    expect(await select({ not: { weight: { lt: 18 } }, weight: undefined, equnr: { notIn: ['X'] } })).toEqual([
      'Pump 18',
      'Pump 19',
    ]);
    expect(await select({})).toHaveLength(21);
  });

  it('are grouped and counted on all pages', async () => {
    const table = await fill('Grouped', 30);
    await table.upsert([{ equnr: 'X', name: 'Pump 29', weight: 1 }]);
    const groups = await collect(
      table.aggregate({
        group: ['name'],
        measures: ['count', 'sum(weight)'],
        filter: { weight: { gt: 0 }, name: { startsWithIgnoreCase: 'pUMP' } },
        having: { or: [{ count: { gte: 2 } }, { 'sum(weight)': 3 }] },
        sort: '-count',
        limit: 1,
      }),
    );
    expect(groups).toEqual([
      { group: { name: 'Pump 29' }, measures: { count: 2, 'sum(weight)': 30 } },
      { group: { name: 'Pump 3' }, measures: { count: 1, 'sum(weight)': 3 } },
    ]);
    expect(await collect(table.aggregate())).toEqual([{ group: {}, measures: { count: 31 } }]);
  });

  it('are found by a search of the workspace', async () => {
    const table = await fill('Searchable', 0);
    await table.upsert([{ equnr: 'SEARCH-1', name: 'Searchable separator', weight: 1 }]);
    const search = () => withKey().search('seperator', { kinds: ['rows'], tables: ['assets/Searchable'], limit: 1 });
    const { groups } = await until(search, ({ isCurrent }) => isCurrent);
    expect(groups).toMatchObject([{ kind: 'rows', items: [{ id: 'SEARCH-1', isMistyped: true }], hasMore: false }]);
  });

  it('are imported from generated rows, and reject invalid lines', async () => {
    const table = await fill('Imported', 0);
    expect((await table.import(equipment(300))).totals).toMatchObject({ created: 300 });
    const failure = await table.import('EQUNR,weight\n1,heavy\n', { format: 'csv' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidRowsError);
    expect((failure as InvalidRowsError).rows).toMatchObject([{ line: 2, column: 'weight' }]);
  });

  it('are followed from a revision on', async () => {
    const table = await fill('Followed', 3);
    let revision = 0;
    expect(await collect(table.changes({ since: 0, onRevision: (value) => (revision = value) }))).toHaveLength(3);
    const seen: Change[] = [];
    const following = (async () => {
      for await (const change of table.changes({ since: revision, follow: true, pollMs: 50 })) {
        seen.push(change);
        if (seen.length === 2) return;
      }
    })();
    await table.patch('00000001', { name: 'Valve' });
    expect(await table.delete(['00000002', 'unknown'])).toMatchObject({
      totals: { received: 2, deleted: 1, missing: 1 },
      proposalIds: [],
    });
    await following;
    expect(seen).toMatchObject([
      { key: '00000001', deleted: false, item: { name: 'Valve' } },
      { key: '00000002', deleted: true, item: null },
    ]);
  });

  it('reject the change of another version and unknown rows', async () => {
    const table = await fill('Versions', 1);
    await expect(table.patch('00000000', { name: 'x' }, { ifMatch: '"0-0"' })).rejects.toThrow(VersionMismatchError);
    await expect(table.get('unknown')).rejects.toThrow(NotFoundError);
    const { columns, revision } = await table.describe();
    expect(columns.map(({ key }) => key)).toEqual(['equnr', 'name', 'weight']);
    await expect(table.drop({ ifMatch: revision - 1 })).rejects.toThrow(VersionMismatchError);
    const rest = await table.dropColumn('name', { ifMatch: revision });
    expect(rest.columns.map(({ key }) => key)).toEqual(['equnr', 'weight']);
    await table.drop({ ifMatch: rest.revision });
    await expect(table.describe()).rejects.toThrow(NotFoundError);
  });

  it('reject a text instead of keys, whose characters would be deleted', async () => {
    const table = await fill('Characters', 0);
    await table.upsert(['1', '2', '3'].map((equnr) => ({ equnr })));
    await expect(table.delete('123')).rejects.toThrow(new TypeError('keys is the text "123". Write a list: ["123"].'));
    expect(await collect(table.rows())).toHaveLength(3);
  });

  it('delete the row "..", and reject ".." as the name of a table', async () => {
    const table = await fill('Dots', 2);
    await table.upsert([{ equnr: '..', name: 'dots' }]);
    expect(await table.delete(['..'])).toMatchObject({ totals: { deleted: 1 }, proposalIds: [] });
    expect((await table.describe()).columns).toHaveLength(3);
    expect(() => withKey().assets('..')).toThrow('Use the ID of the table');
  });
});

describe('other operations', () => {
  it('are typed by path and return data', async () => {
    const client = withKey();
    const project = await client.post('/v1/api/projects', { body: { name: 'Plant' } });
    for (const title of ['One', 'Two', 'Three'])
      await client.post('/v1/api/tours', { body: { title, projectId: project.id } });
    const tours = await collect(client.paginate('/v1/api/tours', { params: { query: { limit: 2, sort: 'title' } } }));
    expect(tours.map(({ title }) => title)).toEqual(['One', 'Three', 'Two']);
    const { version } = await client.get('/v1/api/projects/{id}', { params: { path: { id: project.id } } });
    expect(version).toBe(1);
  });

  it('read events in their order, and wait for further ones', async () => {
    const caller = await service.provision();
    const client = new AtriumClient({ ...caller, baseUrl: service.baseUrl });
    const first = await client.notes.create({ title: 'First' });
    let after = 0;
    const types = ['note.*'];
    const logged = await collect(client.events({ types, onCursor: (cursor) => (after = cursor) }));
    expect(logged).toMatchObject([{ type: 'note.created', data: { note: { id: first.id } } }]);
    // Those of other types were read, too.
    await client.post('/v1/api/projects', { body: { name: 'Other' } });
    const latest = after + 1;
    expect(await collect(client.events({ after, types, onCursor: (cursor) => (after = cursor) }))).toEqual([]);
    expect(after).toBe(latest);
    const following = client.events({ after, types, follow: true });
    const next = following.next();
    const second = await client.notes.create({ title: 'Second' });
    expect((await next).value).toMatchObject({ sequence: after + 1, data: { note: { id: second.id } } });
    await following.return();
    const stopped = client.events({ after: after + 1, follow: true, signal: AbortSignal.timeout(300) });
    await expect(stopped.next()).rejects.toThrow('timeout');
  });

  it('upload files of notes', async () => {
    const photo = { name: 'leak.png', type: 'image/png', data: new Uint8Array(PNG) };
    const { notes } = withKey();
    const referenced = { externalReferences: [{ system: 'SAP', id: '0001' }] };
    const sent = { title: 'Leak', description: null, customFields: { shift: 'night' }, ...referenced };
    const note = await notes.create({ ...sent, externalId: 'photographed', files: [photo] });
    expect(note).toMatchObject({ ...sent, files: [{ filename: 'leak.png', size: PNG.length }] });
  });

  it('reject values of notes that JSON does not have', async () => {
    const { notes } = withKey();
    const dueDate = new Date(NaN) as never;
    const photo = { name: 'leak.png', data: new Uint8Array(PNG) };
    const calls = [
      () => notes.create({ title: 'Leak', dueDate }),
      () => notes.create({ title: 'Leak', dueDate, files: [photo] }),
      () => notes.bulk([{ title: 'Leak', dueDate }]),
      () => notes.change({ status: 'open' }, { dueDate }),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ name: 'InvalidValueError', index: 0, column: 'dueDate' });
    await expect(notes.bulk([{}, { fields: { downtime: NaN } }])).rejects.toMatchObject({ index: 1, column: 'fields' });
  });

  it('send the values of fields with their types, also with files', async () => {
    const { notes } = new AtriumClient({ ...(await service.provision()), baseUrl: service.baseUrl });
    await notes.setFields([
      { key: 'downtime', name: 'Downtime', type: 'number' },
      { key: 'shift', name: 'Shift', type: 'text' },
    ]);
    const externalId = 'typed';
    await notes.create({ externalId, title: 'Leak', fields: { downtime: 1, shift: 'night' } });
    const photo = { name: 'leak.png', type: 'image/png', data: new Uint8Array(PNG) };
    const { id } = await notes.create({ externalId, fields: { downtime: 2.5, shift: null }, files: [photo] });
    expect((await notes.get(id, { expand: 'fields' })).fields).toEqual({ downtime: 2.5, shift: null });
    await notes.setFields([{ key: 'downtime', name: 'Downtime', type: 'number', required: true }]);
    const changed = await notes.change({ externalId }, { fields: { downtime: null } }, { onError: 'continue' });
    expect(changed).toMatchObject({ matched: 1, changed: 0, failed: 1 });
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.from('a secret of the subscription').toString('base64')}`;
  const sign = (body: string, timestamp = Math.floor(Date.now() / 1000)) => {
    const signature = createHmac('sha256', 'a secret of the subscription')
      .update(`msg_1.${timestamp}.${body}`)
      .digest('base64');
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,AAAA v1,${signature}`,
    };
  };

  it('returns the event of a valid signature', async () => {
    await expect(verifyWebhook('{"type":"ping"}', sign('{"type":"ping"}'), secret)).resolves.toEqual({ type: 'ping' });
  });

  it('rejects another body, an old webhook and a missing header', async () => {
    await expect(verifyWebhook('{"type":"pong"}', sign('{"type":"ping"}'), secret)).rejects.toThrow(
      InvalidWebhookError,
    );
    await expect(verifyWebhook('{}', sign('{}', 1_700_000_000), secret)).rejects.toThrow('five minutes');
    await expect(verifyWebhook('{}', {}, secret)).rejects.toThrow('webhook-id');
  });
});

it('continues a bulk load while the service is restarted', async () => {
  const database = await TestDatabase.create();
  const settings = { PORT: String(await freePort()) };
  let restarted = await TestService.start(database, settings);
  try {
    const caller = await restarted.provision();
    const client = new AtriumClient({ baseUrl: restarted.baseUrl, ...caller, apiKey: undefined });
    let restart: Promise<void> | undefined;
    const report = await client.assets<Equipment>('Restart').upsert(equipment(20_000), {
      columns: [...COLUMNS],
      chunkSize: 500,
      connections: 2,
      onProgress: ({ rows }) => {
        if (rows < 4_000 || restart) return;
        // Without time to finish its requests.
        restart = restarted.stop('SIGKILL').then(async () => {
          restarted = await TestService.start(database, settings);
        });
      },
    });
    await restart;
    expect(report).toMatchObject({ totals: { received: 20_000, failed: 0 } });
    expect(await collect(client.assets<Equipment>('Restart').rows())).toEqual([...equipment(20_000)]);
  } finally {
    await restarted.stop();
    await database.drop();
  }
});
