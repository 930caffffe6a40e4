import { generateKeyPairSync } from 'node:crypto';
import { IssuerKeys } from './issuer-keys.js';

const URL = 'https://login.example.com/tenant';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function createKey(kid: string) {
  return {
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'ES256',
  };
}

describe('the keys of an issuer', () => {
  const [first, second] = [createKey('k1'), createKey('k2')];
  let metadata: object;
  let keys: object[];
  let isDown: boolean;
  let isSilent: boolean;
  let requests: string[];
  let now: number;
  let issuer: IssuerKeys;

  beforeEach(() => {
    metadata = { issuer: URL, jwks_uri: `${URL}/keys` };
    [keys, isDown, isSilent, requests, now] = [[first], false, false, [], 1];
    issuer = new IssuerKeys(URL, MINUTE_MS, () => now);
    jest.spyOn(globalThis, 'fetch').mockImplementation((sent) => {
      const url = sent as string;
      requests.push(url);
      if (isSilent) return new Promise(() => undefined);
      if (isDown) return Promise.reject(new TypeError('fetch failed'));
      return Promise.resolve(Response.json(url.includes('/keys') ? { keys } : metadata));
    });
  });

  afterEach(() => jest.restoreAllMocks());

  const find = async (kid: string) => issuer.getKey({ alg: 'ES256', kid }, { payload: '', signature: '' });
  const failure = (kid: string) =>
    find(kid).then(
      () => undefined,
      (error: unknown) => (error as Error).name,
    );

  it('are read once for many tokens that arrive together', async () => {
    await Promise.all(Array.from({ length: 50 }, () => find('k1')));
    expect(requests).toEqual([`${URL}/.well-known/openid-configuration`, `${URL}/keys`]);
  });

  it('are read at an address with a query', async () => {
    metadata = { issuer: URL, jwks_uri: `${URL}/keys?p=b2c_1_sign_in` };
    await find('k1');
    expect(requests).toContain(`${URL}/keys?p=b2c_1_sign_in`);
  });

  it('have the version with which they were found, also if they change before the token is verified', async () => {
    const { version } = await find('k1');
    expect(version).toBe(issuer.version);
    keys = [second];
    now += MINUTE_MS;
    await find('k2');
    expect(issuer.version).not.toBe(version);
  });

  it('of an issuer that does not answer delay a token by two seconds, also with an unknown key', async () => {
    const waits: (number | undefined)[] = [];
    const endWait = (end: () => void, ms?: number) => {
      waits.push(ms);
      end();
      return {} as NodeJS.Timeout;
    };
    isSilent = true;
    const waiting = jest.spyOn(globalThis, 'setTimeout').mockImplementation(endWait);
    expect(await failure('k1')).toBe('IssuerUnavailableError');
    waiting.mockRestore();
    isSilent = false;
    issuer = new IssuerKeys(URL, MINUTE_MS, () => now);
    await find('k1');
    [isSilent, now] = [true, now + MINUTE_MS];
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(endWait);
    expect(await failure('k2')).toBe('JWKSNoMatchingKey');
    expect(waits).toEqual([2_000, 2_000]);
  });

  it('are read again at most once a minute for unknown keys', async () => {
    await find('k1');
    keys = [second];
    for (let at = 0; at < 100; at++) expect(await failure(`unknown-${at}`)).toBe('JWKSNoMatchingKey');
    expect(await failure('k2')).toBe('JWKSNoMatchingKey');
    expect(requests).toHaveLength(2);
    now += MINUTE_MS;
    await Promise.all(Array.from({ length: 50 }, () => find('k2')));
    expect(requests).toHaveLength(4);
    expect(await failure('k1')).toBe('JWKSNoMatchingKey');
  });

  it('are read in the background when they are ten minutes old, so that withdrawn ones end', async () => {
    await find('k1');
    const former = issuer.version;
    keys = [second];
    now += 10 * MINUTE_MS + 1;
    expect(await failure('k1')).toBeUndefined();
    await new Promise(setImmediate);
    await new Promise((done) => setTimeout(done, 20));
    expect(issuer.version).not.toBe(former);
    expect(await failure('k1')).toBe('JWKSNoMatchingKey');
  });

  it('remain in use during an outage of a day, and not longer', async () => {
    await find('k1');
    isDown = true;
    now += 23 * HOUR_MS;
    expect(await failure('k1')).toBeUndefined();
    expect(await failure('k2')).toBe('JWKSNoMatchingKey');
    now += HOUR_MS;
    expect(await failure('k1')).toBe('IssuerUnavailableError');
    expect(issuer.version).toBeUndefined();
    isDown = false;
    now += MINUTE_MS;
    expect(await failure('k1')).toBeUndefined();
  });

  it.each<[string, () => void]>([
    ['is down', () => (isDown = true)],
    [
      'has metadata of another issuer',
      () => (metadata = { issuer: 'https://other.example.com', jwks_uri: `${URL}/keys` }),
    ],
    [
      'has keys without encryption on this computer',
      () => (metadata = { issuer: URL, jwks_uri: 'http://127.0.0.1/keys' }),
    ],
    ['has keys without encryption', () => (metadata = { issuer: URL, jwks_uri: 'http://login.example.com/keys' })],
    ['has keys in a file', () => (metadata = { issuer: URL, jwks_uri: 'file:///etc/passwd' })],
    ['has too many keys', () => (keys = Array.from({ length: 8_000 }, () => first))],
    ['has keys that are none', () => (keys = 'none' as never)],
  ])('are unavailable if the issuer %s, and found as soon as it is not', async (_, spoil) => {
    spoil();
    expect(await failure('k1')).toBe('IssuerUnavailableError');
    expect(await failure('k1')).toBe('IssuerUnavailableError');
    expect(requests.length).toBeLessThanOrEqual(2);
    [isDown, metadata, keys] = [false, { issuer: URL, jwks_uri: `${URL}/keys` }, [first]];
    now += 5_000;
    expect(await failure('k1')).toBeUndefined();
  });
});
