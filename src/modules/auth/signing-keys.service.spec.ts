import { Logger } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import type { Database } from '../../platform/database/database.js';
import type { KeyState, KeyUse } from './signing-key.entity.js';
import { generateKeyPair, SigningKeysRepository } from './signing-keys.repository.js';
import { SigningKeysService } from './signing-keys.service.js';

const encryptionKey = Buffer.alloc(32, 7);
const config = { secrets: { encryptionKey }, tokens: { keyReloadS: 30 } } as Config;

function createRow(kid: string, state: KeyState, use: KeyUse = 'access', verifyUntil: Date | null = null) {
  const pair = generateKeyPair(encryptionKey);
  const encryptedPrivateKey = state === 'retired' ? null : pair.encryptedPrivateKey;
  return { kid, use, state, verifyUntil, ...pair, encryptedPrivateKey };
}

describe('the signing keys of an instance', () => {
  let rows: ReturnType<typeof createRow>[];
  let reads: unknown[][];
  let failure: Error | undefined;
  let keys: SigningKeysService;

  const database = {
    query: (...statement: unknown[]) => {
      reads.push(statement);
      return failure ? Promise.reject(failure) : Promise.resolve(rows);
    },
  } as unknown as Database;

  const isKnown = async (kid: string | undefined, use: KeyUse = 'access') => (await keys.find(use, kid)) !== undefined;
  const findPublishedKids = async () => (await keys.findPublished()).map(({ kid }) => kid);

  beforeEach(async () => {
    jest.useFakeTimers();
    rows = [createRow('old', 'active'), createRow('new', 'next'), createRow('other', 'active', 'refresh')];
    failure = undefined;
    reads = [];
    keys = new SigningKeysService(new SigningKeysRepository(database, config), config);
    await keys.onModuleInit();
    reads = [];
  });

  afterEach(() => {
    keys.onModuleDestroy();
    jest.useRealTimers();
  });

  it('are found by kid and use without reading the database', async () => {
    expect([await isKnown('old'), await isKnown('new'), await isKnown('other', 'refresh')]).toEqual([true, true, true]);
    expect([await isKnown('other'), await isKnown('old', 'refresh'), await isKnown(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(reads).toEqual([]);
  });

  it('are read again for an unknown kid, which is then found immediately', async () => {
    rows.push(createRow('newest', 'next'));
    expect(await isKnown('newest')).toBe(true);
    expect(reads).toHaveLength(1);
  });

  it('are read once for a flood of unknown kids, by a statement that contains nothing of them', async () => {
    const forged = Array.from({ length: 1_000 }, (_, index) => `forged-${index}`);
    const found = await Promise.all([...forged, '__proto__', 'constructor', ''].map((kid) => isKnown(kid)));
    expect(found).not.toContain(true);
    expect(reads).toEqual([[expect.not.stringContaining('forged')]]);
    // A later flood causes one more read, and does not delay callers with a known key.
    const later = forged.map((kid) => isKnown(kid));
    expect(await isKnown('old')).toBe(true);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(later)).not.toContain(true);
    expect(reads).toHaveLength(2);
  });

  it('never reject a kid that is in the database: during a flood, the lookup waits for the next read', async () => {
    await isKnown('forged');
    rows.push(createRow('newest', 'next'));
    const lookup = isKnown('newest');
    await jest.advanceTimersByTimeAsync(1_999);
    expect(reads).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(await lookup).toBe(true);
    expect(reads).toHaveLength(2);
  });

  it('report to every waiting lookup that the database is unavailable, and are read again for the next one', async () => {
    failure = new Error('Connection terminated');
    const lookups = await Promise.allSettled([isKnown('newest'), isKnown('forged')]);
    expect(lookups).toEqual(lookups.map(() => ({ status: 'rejected', reason: failure })));
    expect(reads).toHaveLength(1);
    failure = undefined;
    rows.push(createRow('newest', 'next'));
    const lookup = isKnown('newest');
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await lookup).toBe(true);
  });

  it('are read at most as often for publication, which does not delay the lookup of an unknown kid', async () => {
    rows.push(createRow('newest', 'next'));
    expect([await findPublishedKids(), await findPublishedKids()]).toEqual([
      ['old', 'new', 'newest'],
      ['old', 'new', 'newest'],
    ]);
    expect(reads).toHaveLength(1);
    jest.advanceTimersByTime(1_999);
    await findPublishedKids();
    expect(reads).toHaveLength(1);
    rows.push(createRow('after that', 'next'));
    expect(await isKnown('after that')).toBe(true);
    jest.advanceTimersByTime(1);
    await findPublishedKids();
    expect(reads).toHaveLength(3);
  });

  it('verify until their time limit, to the millisecond, whether they are read again or not', async () => {
    rows = [createRow('old', 'retired', 'access', new Date(Date.now() + 5_000)), createRow('new', 'active')];
    await jest.advanceTimersByTimeAsync(0);
    await keys.findPublished();
    jest.advanceTimersByTime(4_999);
    expect(await isKnown('old')).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await isKnown('old')).toBe(false);
    expect(await findPublishedKids()).toEqual(['new']);
  });

  it('follow a rotation within 30 seconds without a request', async () => {
    rows = [createRow('new', 'active'), createRow('newest', 'next'), createRow('other', 'active', 'refresh')];
    expect(keys.getSigningKey('access').kid).toBe('old');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(keys.getSigningKey('access').kid).toBe('new');
    expect(keys.getSigningKey('access').privateKey.type).toBe('private');
    expect([await isKnown('newest'), await isKnown('old')]).toEqual([true, false]);
  });

  it('stay as they are while the database is unavailable, and are read again afterwards', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    failure = new Error('Connection terminated');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining(failure.message)],
      [expect.stringContaining(failure.message)],
    ]);
    expect(await findPublishedKids()).toEqual(['old', 'new']);
    expect([keys.getSigningKey('access').kid, await isKnown('new')]).toEqual(['old', true]);
    // A key that cannot be looked up may be valid.
    await expect(isKnown('newest')).rejects.toBe(failure);

    failure = undefined;
    rows.push(createRow('newest', 'next'));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await isKnown('newest')).toBe(true);
    logged.mockRestore();
  });

  it('leave no timer behind', () => {
    expect(jest.getTimerCount()).toBe(1);
    keys.onModuleDestroy();
    expect(jest.getTimerCount()).toBe(0);
  });
});
