import { Logger } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import type { Database } from '../../platform/database/database.js';
import type { KeyState, KeyUse } from './signing-key.entity.js';
import { makeKeyPair } from './signing-key-pair.js';
import type { SigningKeyRotation } from './signing-key-rotation.service.js';
import { SigningKeys } from './signing-keys.service.js';

const encryptionKey = Buffer.alloc(32, 7);
const config = { secrets: { encryptionKey } } as Config;
const rotation = { reloadIntervalS: 30, fill: () => Promise.resolve() } as SigningKeyRotation;

function row(kid: string, state: KeyState, use: KeyUse = 'access', verifyUntil: Date | null = null) {
  const pair = makeKeyPair(encryptionKey);
  return { kid, use, state, verifyUntil, ...pair, ...(state === 'retired' && { encryptedPrivateKey: null }) };
}

describe('the signing keys of an instance', () => {
  let rows: ReturnType<typeof row>[];
  let reads: unknown[][];
  let fault: Error | undefined;
  let keys: SigningKeys;

  const database = {
    query: (...statement: unknown[]) => {
      reads.push(statement);
      return fault ? Promise.reject(fault) : Promise.resolve(rows);
    },
  } as unknown as Database;

  const isKnown = async (kid: string | undefined, use: KeyUse = 'access') => (await keys.find(use, kid)) !== undefined;

  beforeEach(async () => {
    jest.useFakeTimers();
    rows = [row('old', 'active'), row('new', 'next'), row('other', 'active', 'refresh')];
    fault = undefined;
    reads = [];
    keys = new SigningKeys(database, config, rotation);
    await keys.onModuleInit();
    reads = [];
  });

  afterEach(() => {
    keys.onModuleDestroy();
    jest.useRealTimers();
  });

  it('are found without a look into the database', async () => {
    expect([await isKnown('old'), await isKnown('new'), await isKnown('other', 'refresh')]).toEqual([true, true, true]);
    expect([await isKnown('other'), await isKnown('old', 'refresh'), await isKnown(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(reads).toEqual([]);
  });

  it('are read once more for one that is unknown, which is then found at once', async () => {
    rows.push(row('newest', 'next'));
    expect(await isKnown('newest')).toBe(true);
    expect(reads).toHaveLength(1);
  });

  it('are read once for a flood of unknown ones, and what strangers send is in no statement', async () => {
    const strange = Array.from({ length: 1_000 }, (_, at) => `stranger-${at}`);
    const found = await Promise.all([...strange, '__proto__', 'constructor', ''].map((kid) => isKnown(kid)));
    expect(found).not.toContain(true);
    expect(reads).toEqual([[expect.not.stringContaining('stranger')]]);
    // So is each flood that follows, and it slows nobody who comes with a known key.
    jest.advanceTimersByTime(2_000);
    for (const kid of strange) await isKnown(kid);
    expect(reads).toHaveLength(2);
  });

  it('are found after a flood, once the pause is over', async () => {
    await isKnown('stranger');
    rows.push(row('newest', 'next'));
    expect(await isKnown('newest')).toBe(false);
    jest.advanceTimersByTime(2_000);
    expect(await isKnown('newest')).toBe(true);
  });

  it('are published at most as often, and without a word to those who look for one', async () => {
    rows.push(row('newest', 'next'));
    const kids = async () => (await keys.published()).map(({ kid }) => kid);
    expect([await kids(), await kids()]).toEqual([
      ['old', 'new', 'newest'],
      ['old', 'new', 'newest'],
    ]);
    expect(reads).toHaveLength(1);
    rows.push(row('after that', 'next'));
    expect(await isKnown('after that')).toBe(true);
  });

  it('verify until their time is over, to the millisecond, whether or not they are read', async () => {
    rows = [row('old', 'retired', 'access', new Date(Date.now() + 5_000)), row('new', 'active')];
    await jest.advanceTimersByTimeAsync(0);
    await keys.published();
    jest.advanceTimersByTime(4_999);
    expect(await isKnown('old')).toBe(true);
    jest.advanceTimersByTime(1);
    expect(await isKnown('old')).toBe(false);
    expect((await keys.published()).map(({ kid }) => kid)).toEqual(['new']);
  });

  it('follow a rotation by themselves within half a minute', async () => {
    rows = [row('new', 'active'), row('newest', 'next'), row('other', 'active', 'refresh')];
    expect(keys.signing('access').kid).toBe('old');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(keys.signing('access').kid).toBe('new');
    expect(keys.signing('access').privateKey.type).toBe('private');
    expect([await isKnown('newest'), await isKnown('old')]).toEqual([true, false]);
  });

  it('stay as they were while the database is out of reach, and follow when it is back', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    fault = new Error('Connection terminated');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(logged.mock.calls).toEqual([
      [expect.stringContaining(fault.message)],
      [expect.stringContaining(fault.message)],
    ]);
    expect((await keys.published()).map(({ kid }) => kid)).toEqual(['old', 'new']);
    expect([keys.signing('access').kid, await isKnown('new')]).toEqual(['old', true]);
    // Of a key that cannot be looked up nothing can be said.
    await expect(isKnown('newest')).rejects.toBe(fault);

    fault = undefined;
    rows.push(row('newest', 'next'));
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
