import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { resolveShared } from '../support/openapi.js';
import { TestDatabase, TestService } from '../support/service.js';
import { shareService } from '../support/shared-services.js';
import { basic, passwordGrant, refresh, signIn } from '../support/tokens.js';

/**
 * The limits of the specification for tokens and low limits for other routes, behind a trusted proxy on this machine
 * that sends X-Forwarded-For.
 */
const LIMITS = {
  RATE_LIMIT_TOKEN: '5/60/1800',
  RATE_LIMIT_FAILURES: '50/60',
  RATE_LIMIT_READ: '3/60',
  RATE_LIMIT_WRITE: '2/60',
  TRUST_PROXY: '127.0.0.1/32',
  MAX_SESSIONS_PER_USER: '1000',
};

let database: TestDatabase;
let services: TestService[];
let me: Credentials;
let addresses = 0;

/** Starts an instance with these limits; it stops after all tests. */
async function start(settings: Record<string, string> = LIMITS): Promise<TestService> {
  const service = await TestService.start(database, settings);
  services.push(service);
  return service;
}

/** A caller at the given address, by default a new one. */
function caller(
  service: { baseUrl: string },
  address = `10.0.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`,
): Api {
  return new Api(service.baseUrl, { 'X-Forwarded-For': address });
}

async function times(count: number, call: (at: number) => Promise<ApiResponse>): Promise<ApiResponse[]> {
  const answers: ApiResponse[] = [];
  for (let at = 0; at < count; at++) answers.push(await call(at));
  return answers;
}

const statuses = (answers: ApiResponse[]) => answers.map(({ status }) => status);
const countStatuses = (answers: ApiResponse[]) => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const wrong = (client: Credentials) => passwordGrant({ ...client, clientSecret: 'wrong' });
const buckets = (of: Pick<TestDatabase, 'query'> = database) =>
  of.query('SELECT key, hits, blocked_until, xmin::text FROM rate_buckets ORDER BY key');

/** Moves the times in all buckets into the past, because waiting would take half an hour. */
const shiftTime = (seconds: number) =>
  database.query(
    `UPDATE rate_buckets SET
       hits = ARRAY(SELECT hit - $1 * interval '1 second' FROM unnest(hits) AS hit ORDER BY hit),
       blocked_until = blocked_until - $1 * interval '1 second', idle_at = idle_at - $1 * interval '1 second'`,
    [seconds],
  );

beforeAll(async () => {
  database = await TestDatabase.create();
  services = [];
  await Promise.all([start(), start()]);
  me = await services[0]!.provision();
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await database.drop();
});

describe('the token endpoint', () => {
  let service: TestService;
  let other: TestService;

  beforeAll(() => {
    [service, other] = services as [TestService, TestService];
  });

  it('returns 429 for half an hour after the sixth attempt within a minute', async () => {
    const api = caller(service);
    const answers = await times(6, () => api.token(passwordGrant(me)));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429]);
    const { headers, body } = answers[5]!;
    expect(headers.get('retry-after')).toBe('1800');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      status: 429,
      message: 'Too many requests; try again in 1800 seconds.',
      timestamp: expect.any(Number),
      error: 'too_many_requests',
      requestId: headers.get('x-request-id'),
    });
  });

  it('returns the remaining attempts and the policy in RateLimit headers', async () => {
    const api = caller(service);
    const answers = await times(6, () => api.token(passwordGrant(me)));
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"token";q=5;w=60');
    expect(answers[0]!.headers.get('ratelimit')).toBe('"token";r=4;t=60');
    expect(answers[4]!.headers.get('ratelimit')).toMatch(/^"token";r=0;t=(5\d|60)$/);
    expect(answers[5]!.headers.get('ratelimit')).toBe('"token";r=0;t=1800');
    for (const { headers } of answers) expect([...headers.keys()].filter((name) => /^x-rate/.test(name))).toEqual([]);
  });

  it('returns 429 on another instance and after a restart too', async () => {
    const address = '10.9.0.1';
    await times(6, () => caller(other, address).token(passwordGrant(me)));
    expect((await caller(service, address).token(passwordGrant(me))).status).toBe(429);
    await other.stop();
    other = services[1] = await start();
    expect((await caller(other, address).token(passwordGrant(me))).status).toBe(429);
  });

  it('accepts exactly five of a hundred concurrent attempts on two instances', async () => {
    const callers = [service, other].map((instance) => caller(instance, '10.9.0.2'));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, count) => callers[count % 2]!.token(passwordGrant(me))),
    );
    expect(countStatuses(answers)).toEqual({ 200: 5, 429: 95 });
  });

  it('does not extend the block if the caller tries again, because a rejection writes nothing', async () => {
    const api = caller(service);
    await times(6, () => api.token(passwordGrant(me)));
    const before = await buckets();
    const answers = await times(10, () => api.token(passwordGrant(me)));
    expect(countStatuses(answers)).toEqual({ 429: 10 });
    expect(Number(answers[9]!.headers.get('retry-after'))).toBeLessThanOrEqual(1800);
    expect(await buckets()).toEqual(before);
  });

  it('accepts the caller again when the block ends, not when the window ends', async () => {
    const api = caller(service);
    await times(6, () => api.token(passwordGrant(me)));
    await shiftTime(61);
    const rejected = await api.token(passwordGrant(me));
    expect(rejected.status).toBe(429);
    expect(Math.abs(Number(rejected.headers.get('retry-after')) - 1739)).toBeLessThan(30);
    await shiftTime(1739);
    const again = await times(6, () => api.token(passwordGrant(me)));
    expect(statuses(again)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('counts attempts with a wrong secret', async () => {
    const api = caller(service);
    expect(statuses(await times(5, () => api.token(wrong(me))))).toEqual([401, 401, 401, 401, 401]);
    expect((await api.token(passwordGrant(me))).status).toBe(429);
  });

  it('counts unreadable bodies, and returns their error until the limit is reached', async () => {
    const api = caller(service);
    const bodies = [
      '{',
      '{"a":1,"a":2}',
      '{"__proto__":1}',
      '[]',
      `"${'a'.repeat(17_000)}"`,
      '{',
      '{"grant_type":"password"}',
    ];
    const answers: ApiResponse[] = [];
    for (const body of bodies) answers.push(await api.post('/v1/api/oauth2/token', body));
    expect(statuses(answers)).toEqual([400, 400, 400, 400, 413, 429, 429]);
    expect(answers[0]!.headers.get('ratelimit')).toBe('"token";r=4;t=60');
    // A valid client at the same address has its own bucket.
    expect((await api.token(passwordGrant(me))).status).toBe(200);
  });

  it('counts a client by its Basic header, or by the body if there is no such header', async () => {
    const api = caller(service);
    await times(3, () => api.token(wrong(me)));
    await times(2, () => api.token({ ...wrong(me), client_id: 'another' }, basic(me.clientId, 'wrong')));
    expect((await api.token(passwordGrant(me))).status).toBe(429);
  });

  it('does not block a client because of attempts from another address', async () => {
    const attacker = caller(service);
    expect((await times(8, () => attacker.token(wrong(me)))).at(-1)!.status).toBe(429);
    expect((await caller(service).token(passwordGrant(me))).status).toBe(200);
  });

  it('does not block a client because of attempts of another client at the same address', async () => {
    const neighbour = await service.provision();
    const api = caller(service);
    await times(6, () => api.token(passwordGrant(me)));
    expect((await api.token(passwordGrant(neighbour))).status).toBe(200);
  });

  it('counts all attempts without a valid client ID at an address in one bucket', async () => {
    const api = caller(service);
    const before = (await buckets()).length;
    const answers = [
      await api.token({ grant_type: 'password', client_id: 'x'.repeat(10_000), client_secret: 'wrong' }),
      await api.token({ grant_type: 'password', client_id: ['wsc_'], client_secret: {} }),
      await api.token({ grant_type: 'password' }, { Authorization: 'Basic !!!' }),
      await api.token({ grant_type: { password: true } }),
      await api.token({ grant_type: 'refresh_token', refresh_token: { a: 1 } }),
      await api.token({ grant_type: 'password', client_id: me.clientSecret, client_secret: 'wrong' }),
    ];
    expect(statuses(answers)).toEqual([401, 400, 401, 400, 400, 429]);
    // One bucket for the attempts, one for the failures.
    expect(await buckets()).toHaveLength(before + 2);
    expect((await api.token(passwordGrant(me))).status).toBe(200);
  });

  it('stores no address and no ID in plain text', async () => {
    for (const { key } of await buckets())
      expect(key).toMatch(/^(token(:[0-9a-f]{32}){2}|tokenFailures:[0-9a-f]{32})$/);
  });

  describe('addresses of callers', () => {
    it('counts a thousand addresses of one IPv6 /64 network as one', async () => {
      const answers: ApiResponse[] = [];
      // At most 50 at once: the server cannot accept a thousand connections in a moment.
      for (let from = 0; from < 1_000; from += 50) {
        const addresses = Array.from({ length: 50 }, (_, at) => `2001:db8:1:2:${(from + at).toString(16)}::1`);
        answers.push(...(await Promise.all(addresses.map((ip) => caller(service, ip).token(wrong(me))))));
      }
      expect(countStatuses(answers)).toEqual({ 401: 5, 429: 995 });
      expect((await caller(service, '2001:db8:1:3::1').token(passwordGrant(me))).status).toBe(200);
    });

    it('counts an IPv4-mapped IPv6 address as the IPv4 address', async () => {
      const spellings = ['10.9.1.1', '::ffff:10.9.1.1', '::FFFF:0a09:0101', '10.9.1.1:443'];
      await times(5, (at) => caller(service, spellings[at % 4]).token(wrong(me)));
      for (const spelling of spellings)
        expect((await caller(service, spelling).token(passwordGrant(me))).status).toBe(429);
      expect((await caller(service, '::ffff:10.9.1.2').token(passwordGrant(me))).status).toBe(200);
    });

    it('ignores X-Forwarded-For unless the proxy is in TRUST_PROXY, and counts a transaction that is rolled back', async () => {
      const direct = await start({ ...LIMITS, TRUST_PROXY: '', MAX_SESSIONS_PER_USER: '1' });
      const user = await direct.provision();
      const answers = await times(6, () => caller(direct).token(passwordGrant(user)));
      expect(statuses(answers)).toEqual([200, 403, 403, 403, 403, 429]);
      await direct.stop();
    });

    it('uses only the last address of X-Forwarded-For, which the proxy added', async () => {
      const answers = await times(6, (at) => caller(service, `192.0.2.${at}, 10.9.2.1`).token(passwordGrant(me)));
      expect(answers[5]!.status).toBe(429);
    });
  });

  describe('refresh tokens', () => {
    it('counts refreshes per session for ten sessions at one address', async () => {
      const api = caller(service);
      const sessions = await Promise.all(Array.from({ length: 10 }, () => signIn(caller(service), me)));
      for (let round = 0; round < 4; round++) {
        for (const session of sessions) {
          const answer = await refresh(api, session.refresh_token);
          expect(answer.status).toBe(200);
          Object.assign(session, answer.body.data);
        }
      }
    });

    it('returns 429 at the sixth refresh of a session, and the rejected token stays valid', async () => {
      const api = caller(service);
      let pair = await signIn(caller(service), me);
      for (let count = 0; count < 5; count++) pair = (await refresh(api, pair.refresh_token)).body.data;
      expect((await refresh(api, pair.refresh_token)).status).toBe(429);
      expect((await refresh(caller(service), pair.refresh_token)).status).toBe(200);
    });

    it('does not count forged refresh tokens for the session that they name', async () => {
      const api = caller(service);
      const { refresh_token } = await signIn(caller(service), me);
      const [header, claims] = refresh_token.split('.');
      const forged = [header, claims, Buffer.alloc(64, 1).toString('base64url')].join('.');
      const answers = await times(6, () => refresh(api, forged));
      expect(statuses(answers)).toEqual([401, 401, 401, 401, 401, 429]);
      expect((await refresh(api, refresh_token)).status).toBe(200);
    });
  });

  describe('failed credentials', () => {
    it('blocks an address after fifty failures across clients, before the next credentials are checked', async () => {
      const operator = await service.operatorClient();
      const clients = await Promise.all(Array.from({ length: 51 }, () => operator.newClient(me.userId)));
      const api = caller(service);
      expect((await api.token(passwordGrant(me))).status).toBe(200);
      const answers = await times(51, (count) => api.token(wrong(clients[count]!)));
      expect(countStatuses(answers)).toEqual({ 401: 50, 429: 1 });
      const { status, headers } = await api.token(passwordGrant(me));
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('ratelimit-policy')).toBe('"tokenFailures";q=50;w=60');
      expect(headers.get('ratelimit')).toBe(`"tokenFailures";r=0;t=${headers.get('retry-after')}`);
      expect((await caller(service).token(passwordGrant(me))).status).toBe(200);
    });

    it('counts only rejected credentials as failures', async () => {
      const failing = await start({ ...LIMITS, RATE_LIMIT_TOKEN: 'off', RATE_LIMIT_FAILURES: '2/60/120' });
      const api = caller(failing);
      const harmless = [{ grant_type: 'nonsense' }, passwordGrant(me), { ...passwordGrant(me), scope: ['nonsense'] }];
      expect(statuses(await times(3, (count) => api.token(harmless[count]!)))).toEqual([400, 200, 403]);
      expect((await refresh(api, 'nonsense')).status).toBe(401);
      expect((await api.token(passwordGrant(me))).status).toBe(200);
      expect((await api.token({}, { Authorization: 'Basic !!!' })).status).toBe(401);
      const rejected = await api.token(passwordGrant(me));
      expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '120']);
      await failing.stop();
    });
  });

  it('accepts all token requests if the limits are off', async () => {
    const { service: open, database: shared } = await shareService();
    const user = await open.provision();
    const api = caller(open);
    const before = await buckets(shared);
    expect(countStatuses(await times(8, () => api.token(passwordGrant(user))))).toEqual({ 200: 8 });
    expect(countStatuses(await times(8, () => api.token(wrong(user))))).toEqual({ 401: 8 });
    expect((await api.token(wrong(user))).headers.get('ratelimit')).toBeNull();
    expect(await buckets(shared)).toEqual(before);
  });

  it('accepts an address again after an operator resets its limits', async () => {
    const [blocked, other] = ['10.9.3.1', '10.9.3.2'];
    for (const address of [blocked, other]) await times(6, () => caller(service, address).token(wrong(me)));
    const answer = await service.operator('rate-limit', 'reset', '--address', blocked);
    expect(answer).toEqual({ address: blocked, forgotten: 2 });
    const entries = await service.operator<object[]>('audit', '--kind', 'rate_limits_reset');
    expect(entries).toMatchObject([{ counts: { buckets: 2 }, details: { address: blocked } }]);
    expect((await caller(service, blocked).token(passwordGrant(me))).status).toBe(200);
    expect((await caller(service, other).token(passwordGrant(me))).status).toBe(429);
  });
});

describe('the rate limit of every other route', () => {
  const PATH = '/v1/api/projects';
  let service: TestService;
  let elsewhere: TestService;
  let user: Credentials;

  beforeAll(async () => {
    [service, elsewhere] = services as [TestService, TestService];
    user = await service.provision();
  });

  it('counts reads and writes separately per user at any address, and returns the remaining requests', async () => {
    const reads = await times(4, () => caller(service).with({ 'X-API-Key': user.apiKey }).get(PATH));
    expect(statuses(reads)).toEqual([200, 200, 200, 429]);
    expect(reads.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(Array(4).fill('"read";q=3;w=60'));
    expect(reads[0]!.headers.get('ratelimit')).toBe('"read";r=2;t=60');
    const { headers, body } = reads[3]!;
    expect(headers.get('ratelimit')).toBe(`"read";r=0;t=${headers.get('retry-after')}`);
    expect(body.message).toBe(`Too many requests; try again in ${headers.get('retry-after')} seconds.`);

    const api = new Api(service.baseUrl).withKey(user.apiKey);
    const writes = await times(3, () => api.post(PATH, { name: 'Project' }));
    expect(statuses(writes)).toEqual([201, 201, 429]);
    expect(writes[0]!.headers.get('ratelimit')).toBe('"write";r=1;t=60');
  });

  it('counts each user and each instance separately', async () => {
    const another = await service.provision();
    expect((await new Api(service.baseUrl).withKey(another.apiKey).get(PATH)).status).toBe(200);
    expect((await new Api(elsewhere.baseUrl).withKey(user.apiKey).get(PATH)).status).toBe(200);
  });

  it('returns 429 before it reads the body', async () => {
    const api = new Api(service.baseUrl).withKey(user.apiKey);
    const answer = await api.post(PATH, 'not JSON');
    expect(answer.status).toBe(429);
    const { body } = await new Api(service.baseUrl).get('/metrics');
    expect(body).toMatch(new RegExp(`^http_errors_total\\{status="429",code="${answer.body.error}"\\} [1-9]`, 'm'));
  });

  it('does not limit health checks and metrics', async () => {
    const api = new Api(service.baseUrl);
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const answers = await times(10, () => api.get(path));
      expect(countStatuses(answers)).toEqual({ 200: 10 });
      expect(answers[0]!.headers.get('ratelimit')).toBeNull();
    }
  });

  it('documents 429 for every limited operation in the OpenAPI document', async () => {
    const { body } = await new Api(service.baseUrl).get('/openapi.json');
    const { paths } = resolveShared(body) as { paths: Record<string, Record<string, { responses: object }>> };
    const unlimited = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { responses }]) => !('429' in responses))
        .map(([method]) => `${method} ${path}`),
    );
    expect(unlimited).toEqual(['get /health/live', 'get /health/ready', 'get /metrics']);
  });
});
