import { Api } from '../support/api.js';
import { Receiver } from '../support/receiver.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SETTINGS = {
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_TIMEOUT_MS: '1000',
  EVENTS_RETRY_DELAYS_S: '1,1',
};

/** The error does not contain the address, which may be that of a name inside of the operator's network. */
const HAS_PRIVATE_ADDRESS = 'rebinding.test has an address that is not public';

describe('the addresses of receivers', () => {
  let database: TestDatabase;
  let service: TestService | undefined;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });

  beforeEach(async () => {
    receiver = await Receiver.start();
  });

  afterEach(async () => {
    receiver.stop();
    await service?.stop();
    service = undefined;
  });

  afterAll(async () => {
    await database?.drop();
  });

  /** Sends an event to the receiver under this name. @returns the attempts, when there are this many. */
  async function deliver(hostname: string, count: number): Promise<{ responseStatus: number | null; error: string }[]> {
    const { apiKey, workspaceId } = await service!.provision();
    const api = new Api(service!.baseUrl).withKey(apiKey);
    const path = `/v2/api/workspaces/${workspaceId}/subscriptions`;
    const { body } = await api.post(path, { url: receiver.url.replace('127.0.0.1', hostname), events: ['*'] });
    const { id } = body.data as { id: string };
    expect((await api.post(`${path}/${id}/ping`)).status).toBe(200);
    const attempts = async () => (await api.get(`${path}/${id}/deliveries`)).body.data.items[0].attempts;
    await until(async () => (await attempts()).length >= count);
    return attempts();
  }

  it('a name with a private address receives nothing', async () => {
    service = await TestService.start(database, { ...SETTINGS, NODE_OPTIONS: preload('rebinding-names.mjs') });
    const [, attempt] = await deliver('rebinding.test', 2);
    expect(attempt).toMatchObject({ responseStatus: null, error: HAS_PRIVATE_ADDRESS });
    expect(receiver.received).toEqual([]);
  });

  it.each([
    ['https://localhost/', 422, 'invalid_url'],
    ['https://metadata.google.internal/', 422, 'invalid_url'],
    ['https://[::7f00:1]/', 422, 'invalid_url'],
    ['https://[fe80::1]/', 422, 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 400, 'invalid_request'],
    ['https://[::1/', 400, 'invalid_request'],
    ['https://a:99999/', 400, 'invalid_request'],
    ['https://xn--/', 400, 'invalid_request'],
    ['https://1.2.3.999/', 400, 'invalid_request'],
    ['https://%zz/', 400, 'invalid_request'],
  ])('the URL %s is rejected with %i when the subscription is created or changed', async (url, status, code) => {
    service ??= await TestService.start(database, SETTINGS);
    const { apiKey, workspaceId } = await service.provision();
    const api = new Api(service.baseUrl).withKey(apiKey);
    const path = `/v2/api/workspaces/${workspaceId}/subscriptions`;
    const { body } = await api.post(path, { url: 'https://receiver.example/', events: ['*'] });
    for (const response of [
      await api.post(path, { url, events: ['*'] }),
      await api.patch(`${path}/${body.data.id}`, { url }),
    ])
      expect([response.status, response.body.error]).toEqual([status, code]);
  });

  it('a name whose address changes between the look-ups receives nothing at a private one', async () => {
    service = await TestService.start(database, {
      ...SETTINGS,
      // Takes the part of a public address, to which the test must not send anything.
      EVENTS_ALLOWED_NETWORKS: '203.0.113.0/24',
      NODE_OPTIONS: preload('rebinding-names.mjs'),
    });
    // A service that looked the name up to check it, and again to connect, would send the first attempt to the
    // receiver.
    const [first, second] = await deliver('rebinding.test', 2);
    expect(first).toMatchObject({ responseStatus: null, error: expect.not.stringContaining(HAS_PRIVATE_ADDRESS) });
    expect(second).toMatchObject({ responseStatus: null, error: HAS_PRIVATE_ADDRESS });
    expect(receiver.received).toEqual([]);
  });
});
