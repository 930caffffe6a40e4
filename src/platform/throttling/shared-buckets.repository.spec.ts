import { DataSource } from 'typeorm';
import { TestDatabase } from '../../../test/support/service.js';
import { Database } from '../database/database.js';
import { SnakeCaseNaming } from '../database/snake-case-naming.js';
import { RateBucket } from './rate-bucket.entity.js';
import { bucketKey, SharedBucketsRepository } from './shared-buckets.repository.js';

const MINUTE = { attempts: 3, windowS: 60, blockS: 0 };
const BLOCKING = { ...MINUTE, blockS: 1800 };

describe('SharedBucketsRepository', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let buckets: SharedBucketsRepository;
  let key: string;
  let keys = 0;

  beforeAll(async () => {
    server = await TestDatabase.createEmpty();
    dataSource = new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [RateBucket],
      namingStrategy: new SnakeCaseNaming(),
      poolSize: 20,
    });
    await dataSource.initialize();
    await dataSource.synchronize();
    database = new Database(dataSource);
    buckets = new SharedBucketsRepository(database);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await server.drop();
  });

  beforeEach(() => {
    key = bucketKey('test', `address ${++keys}`);
  });

  /** Moves all times of the bucket back. */
  const age = (seconds: number) =>
    database.query(
      `UPDATE rate_buckets SET
         hits = ARRAY(SELECT hit - $2 * interval '1 second' FROM unnest(hits) AS hit ORDER BY hit),
         blocked_until = blocked_until - $2 * interval '1 second', idle_at = idle_at - $2 * interval '1 second'
       WHERE key = $1`,
      [key, seconds],
    );
  const stored = async () => (await database.query('SELECT *, xmin FROM rate_buckets WHERE key = $1', [key]))[0];
  const countTimes = async (times: number, policy = MINUTE) => {
    const outcomes: string[] = [];
    for (let time = 0; time < times; time++) {
      const { isBlocked, totalHits, timeToExpire, timeToBlockExpire } = await buckets.count(key, policy);
      outcomes.push(isBlocked ? `blocked for ${timeToBlockExpire}` : `${totalHits} until ${timeToExpire}`);
    }
    return outcomes;
  };

  it('counts each attempt for one window (sliding log)', async () => {
    expect(await countTimes(1)).toEqual(['1 until 60']);
    await age(40);
    expect(await countTimes(3)).toEqual(['2 until 20', '3 until 20', 'blocked for 20']);
    await age(20);
    expect(await countTimes(2)).toEqual(['3 until 40', 'blocked for 40']);
    await age(60);
    expect(await countTimes(1)).toEqual(['1 until 60']);
  });

  it('begins the block with the first rejected attempt and writes nothing during it', async () => {
    expect((await countTimes(4, BLOCKING)).at(-1)).toBe('blocked for 1800');
    await age(1_000);
    const before = await stored();
    expect(await countTimes(2, BLOCKING)).toEqual(['blocked for 800', 'blocked for 800']);
    expect(await stored()).toEqual(before);
    await age(800);
    expect(await countTimes(1, BLOCKING)).toEqual(['1 until 60']);
    expect(await stored()).toMatchObject({ blocked_until: null });
  });

  it('stores at most the allowed number of attempts under 100 concurrent attempts', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => buckets.count(key, BLOCKING)));
    expect(all.filter(({ isBlocked }) => !isBlocked).map(({ totalHits }) => totalHits)).toHaveLength(3);
    expect((await stored())!['hits']).toHaveLength(3);
  });

  it('applies a policy that was changed in the meantime', async () => {
    await countTimes(3);
    await age(10);
    expect(await countTimes(1, { ...MINUTE, attempts: 2 })).toEqual(['blocked for 50']);
    await age(50);
    expect(await countTimes(2, { ...MINUTE, attempts: 5 })).toEqual(['1 until 60', '2 until 60']);
  });

  it('peeks without counting', async () => {
    expect(await buckets.peek(key, MINUTE)).toMatchObject({ isBlocked: false, totalHits: 0 });
    expect(await stored()).toBeUndefined();
    await countTimes(2);
    expect(await buckets.peek(key, MINUTE)).toMatchObject({ isBlocked: false, totalHits: 2, timeToExpire: 60 });
    await countTimes(1);
    expect(await buckets.peek(key, MINUTE)).toMatchObject({ isBlocked: true, timeToBlockExpire: 60 });
    expect(await buckets.peek(key, BLOCKING)).toMatchObject({ isBlocked: true, timeToBlockExpire: 1800 });
    expect(await stored()).toMatchObject({ blocked_until: null });
  });

  it('counts an attempt whose transaction is rolled back', async () => {
    const failing = database.transaction(async () => {
      await buckets.count(key, MINUTE);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await buckets.peek(key, MINUTE)).toMatchObject({ totalHits: 1 });
  });

  it('removes only idle buckets, concurrently and without waiting for locked rows', async () => {
    await database.query('DELETE FROM rate_buckets');
    await countTimes(4, BLOCKING);
    await database.query(
      `INSERT INTO rate_buckets (key, hits, idle_at)
       SELECT 'idle:' || n, '{}', now() - n * interval '1 second' FROM generate_series(0, 2499) AS n`,
    );
    // A locked bucket is skipped until the next run.
    const release = await server.lock(`SELECT FROM rate_buckets WHERE key = 'idle:7' FOR UPDATE`);
    const removed = await Promise.all([
      buckets.removeIdle(1_000),
      buckets.removeIdle(1_000),
      buckets.removeIdle(1_000),
    ]);
    expect(removed.reduce((sum, count) => sum + count)).toBe(2_499);
    await release();
    expect(await buckets.removeIdle(1_000)).toBe(1);
    expect(await stored()).toBeDefined();
    await age(1_801);
    expect(await buckets.removeIdle(1_000)).toBe(1);
  });

  it('retains a bucket while its last attempt counts', async () => {
    await countTimes(1);
    await age(59);
    expect(await countTimes(3)).toEqual(['2 until 1', '3 until 1', 'blocked for 1']);
    await age(1);
    expect(await buckets.removeIdle(1_000)).toBe(0);
    expect(await countTimes(2)).toEqual(['3 until 59', 'blocked for 59']);
  });

  it('resets all buckets of one address and no other', async () => {
    for (const address of ['2001:db8:1:2::/64', '192.0.2.1'])
      for (const parts of [[address], [address, 'a client']]) await buckets.count(bucketKey('test', ...parts), MINUTE);
    expect(await buckets.reset('2001:db8:1:2::5')).toBe(2);
    expect(await buckets.reset('2001:db8:1:2::5')).toBe(0);
    expect(await buckets.peek(bucketKey('test', '192.0.2.1'), MINUTE)).toMatchObject({ totalHits: 1 });
  });
});
