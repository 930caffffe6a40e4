import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { type Credentials, unknownCredential } from '../support/credentials.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

const PATH = '/v1/api/projects';
const HOUR_MS = 3_600_000;

/** The clock of one instance jumps. The other instance and PostgreSQL have the right time. */
describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('after the clock of an instance jumped an hour %s', (_, jumpMs) => {
  let folder: string;
  let database: TestDatabase;
  let jumping: TestService;
  let other: TestService;
  let me: Credentials;
  let api: Api;

  const setClock = (ms: number) => writeFileSync(join(folder, 'clock'), String(ms));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-clock-'));
    setClock(0);
    database = await TestDatabase.create();
    const settings = { RATE_LIMIT_READ: '6/60', RATE_LIMIT_FAILURES: '2/60' };
    [jumping, other] = await Promise.all([
      TestService.start(database, {
        ...settings,
        NODE_OPTIONS: preload('clock.mjs'),
        CLOCK_FILE: join(folder, 'clock'),
      }),
      TestService.start(database),
    ]);
    me = await jumping.provision();
    api = new Api(jumping.baseUrl);
    // The limit of rejected keys does not affect a key that the instance knows.
    expect((await api.withKey(me.apiKey).get(PATH)).status).toBe(200);
  });

  afterEach(() => setClock(0));

  afterAll(async () => {
    await Promise.all([jumping?.stop(), other?.stop()]);
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = async (pair: TokenPair, service = jumping) =>
    (await new Api(service.baseUrl).withToken(pair.access_token).get(PATH)).status;

  it('rate limits neither end early nor last longer', async () => {
    const caller = api.withKey((await jumping.provision()).apiKey);
    for (let count = 0; count < 6; count++) expect((await caller.get(PATH)).status).toBe(200);
    for (let count = 0; count < 2; count++)
      expect((await api.withKey(unknownCredential('wsk_')).get(PATH)).status).toBe(401);
    const wrong = () => api.token(passwordGrant({ ...me, clientId: unknownCredential('wsc_') }));
    for (let count = 0; count < 2; count++) expect((await wrong()).status).toBe(401);
    setClock(jumpMs);
    const rejected = [await caller.get(PATH), await api.withKey(unknownCredential('wsk_')).get(PATH), await wrong()];
    for (const { status, headers } of rejected) {
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    await database.query('DELETE FROM rate_buckets');
  });

  it('a session continues with a refresh, and API keys and other instances are not affected', async () => {
    const pair = await signIn(api, me);
    expect([await read(pair), await read(pair, other)]).toEqual([200, 200]);
    setClock(jumpMs);
    // It has expired by this clock, or was issued in the future.
    expect([await read(pair), await read(pair, other)]).toEqual([401, 200]);
    const renewed = (await refresh(api, pair.refresh_token)).body.data as TokenPair;
    expect(await read(renewed)).toBe(200);
    expect((await api.withKey(me.apiKey).get(PATH)).status).toBe(200);
    setClock(0);
    const again = (await refresh(api, renewed.refresh_token)).body.data as TokenPair;
    expect([await read(again), await read(again, other)]).toEqual([200, 200]);
  });

  it('a request with an Idempotency-Key is executed once', async () => {
    const caller = api.with({ 'X-API-Key': me.apiKey, 'Idempotency-Key': 'clock' });
    const first = await caller.post(PATH, { name: 'Once' });
    setClock(jumpMs);
    const second = await caller.post(PATH, { name: 'Once' });
    expect([second.status, second.body.data.id]).toEqual([201, first.body.data.id]);
  });
});
