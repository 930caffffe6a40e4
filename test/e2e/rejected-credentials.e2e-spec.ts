import { Api } from '../support/api.js';
import { type Credentials, unknownCredential } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { passwordGrant } from '../support/tokens.js';
import { Tunnel } from '../support/tunnel.js';

const PATH = '/v1/api/projects';
const SETTINGS = {
  RATE_LIMIT_TOKEN: 'off',
  RATE_LIMIT_FAILURES: '50/60',
  TRUST_PROXY: '127.0.0.1/32',
  MAX_SESSIONS_PER_USER: '1000',
  // During the test, no instance looks for queued work or reads the signing keys.
  JOB_POLL_S: '60',
  SIGNING_KEY_RELOAD_S: '120',
};

describe('the limit of rejected credentials', () => {
  let database: TestDatabase;
  let tunnel: Tunnel;
  let service: TestService;
  let other: TestService;
  let me: Credentials;
  let addresses = 0;

  beforeAll(async () => {
    database = await TestDatabase.create();
    tunnel = await Tunnel.to(database);
    [service, other] = await Promise.all([
      TestService.start(database, { ...SETTINGS, DATABASE_URL: tunnel.url }),
      TestService.start(database, SETTINGS),
    ]);
    me = await service.provision();
  });

  afterAll(async () => {
    await Promise.all([service?.stop(), other?.stop()]);
    await tunnel?.close();
    await database?.drop();
  });

  const newAddress = () => `10.1.0.${++addresses}`;
  const callerAt = (address: string, instance: TestService = service) =>
    new Api(instance.baseUrl, { 'X-Forwarded-For': address });
  const unknownClient = () => passwordGrant({ clientId: unknownCredential('wsc_'), clientSecret: me.clientSecret });
  const readWithUnknownKey = (api: Api) => api.with({ 'X-API-Key': unknownCredential('wsk_') }).get(PATH);
  const recorded = async (address: string) =>
    (await database.query(`SELECT 1 FROM auth_events WHERE kind = 'refused' AND address = $1`, [address])).length;

  /** Sends all requests at once. @returns how many responses have each status. */
  async function race(count: number, send: (number: number) => Promise<{ status: number }>) {
    const statuses = await Promise.all(Array.from({ length: count }, async (_, number) => (await send(number)).status));
    return Object.fromEntries(
      [...new Set(statuses)].map((status) => [status, statuses.filter((each) => each === status).length]),
    );
  }

  describe('at the token endpoint', () => {
    it('verifies exactly 50 of 90 parallel attempts', async () => {
      const address = newAddress();
      expect(await race(90, () => callerAt(address).token(unknownClient()))).toEqual({ 401: 50, 429: 40 });
      expect(await recorded(address)).toBe(50);
    });

    it('rejects exactly 50 of 90 parallel attempts on two instances as invalid credentials', async () => {
      const address = newAddress();
      const send = (number: number) => callerAt(address, number % 2 ? service : other).token(unknownClient());
      expect(await race(90, send)).toEqual({ 401: 50, 429: 40 });
      expect(await recorded(address)).toBe(50);
    });

    it('accepts 90 parallel attempts with valid credentials, after 49 failures too', async () => {
      const api = callerAt(newAddress());
      expect(await race(90, () => api.token(passwordGrant(me)))).toEqual({ 200: 90 });
      expect(await race(49, () => api.token(unknownClient()))).toEqual({ 401: 49 });
      expect(await race(90, () => api.token(passwordGrant(me)))).toEqual({ 200: 90 });
      expect(await race(3, () => api.token(unknownClient()))).toEqual({ 401: 1, 429: 2 });
    });

    it('counts a failed revocation too', async () => {
      const api = callerAt(newAddress());
      const revoke = () => api.post('/v1/api/oauth2/revoke', { ...unknownClient(), grant_type: undefined, token: 'x' });
      expect(await race(90, revoke)).toEqual({ 401: 50, 429: 40 });
    });
  });

  describe('of API keys', () => {
    it('rejects exactly 50 of 90 parallel unknown keys as invalid', async () => {
      const api = callerAt(newAddress());
      expect(await race(90, () => readWithUnknownKey(api))).toEqual({ 401: 50, 429: 40 });
    });

    it('reads nothing from the database beyond the limit', async () => {
      const api = callerAt(newAddress());
      await race(50, () => readWithUnknownKey(api));
      const before = tunnel.statements;
      const { status, headers } = await readWithUnknownKey(api);
      expect([status, headers.get('ratelimit-policy')]).toEqual([429, '"keyFailures";q=50;w=60']);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(await race(40, () => readWithUnknownKey(api))).toEqual({ 429: 40 });
      expect(tunnel.statements).toBe(before);
    });

    it('counts keys with a wrong checksum, and those of the legacy webhook', async () => {
      const api = callerAt(newAddress());
      expect(await race(49, () => api.with({ 'X-API-Key': 'wsk_typo' }).get(PATH))).toEqual({ 401: 49 });
      const call = () => api.with({ 'X-API-Key': unknownCredential('wsk_') }).post('/v1/api/notes/erp/webhook', {});
      expect(await race(2, call)).toEqual({ 401: 1, 429: 1 });
    });

    it('accepts a key that the instance knows, and other addresses', async () => {
      const address = newAddress();
      const mine = callerAt(address).with({ 'X-API-Key': me.apiKey });
      expect((await mine.get(PATH)).status).toBe(200);
      await race(60, () => readWithUnknownKey(callerAt(address)));
      expect(await race(90, () => mine.get(PATH))).toEqual({ 200: 90 });
      const another = await service.provision();
      expect((await callerAt(newAddress()).with({ 'X-API-Key': another.apiKey }).get(PATH)).status).toBe(200);
    });

    it('does not count valid keys that the instance does not know yet', async () => {
      const api = callerAt(newAddress());
      const users = await Promise.all(Array.from({ length: 60 }, () => service.provision()));
      expect(await race(60, (number) => api.with({ 'X-API-Key': users[number]!.apiKey }).get(PATH))).toEqual({
        200: 60,
      });
      expect(await race(51, () => readWithUnknownKey(api))).toEqual({ 401: 50, 429: 1 });
    });

    it('counts a key that was revoked after it was valid', async () => {
      const { apiKey, userId } = await service.provision();
      const api = callerAt(newAddress()).with({ 'X-API-Key': apiKey });
      expect((await api.get(PATH)).status).toBe(200);
      await service.operator('user', 'suspend', userId);
      expect((await api.get(PATH)).status).toBe(401);
      expect(await race(60, () => api.get(PATH))).toEqual({ 401: 50, 429: 10 });
    });

    it('records the rejections of an address once per minute', async () => {
      const address = newAddress();
      const api = callerAt(address).with({ 'X-Request-Id': 'unknown-key' });
      for (let count = 0; count < 3; count++) expect((await readWithUnknownKey(api)).status).toBe(401);
      const lines = await database.query(
        `SELECT kind, reason, details->>'sentRequestId' AS "sentRequestId" FROM auth_events WHERE address = $1`,
        [address],
      );
      const reason = expect.stringMatching(/^The API key is invalid, .*: unknown, revoked, expired/) as string;
      expect(lines).toEqual([{ kind: 'refused', reason, sentRequestId: 'unknown-key' }]);
    });
  });
});
