import { validate, version } from 'uuid';
import { TestDatabase } from '../../../test/support/database.js';
import { NEW_UUID_IN_SQL, uuid } from './uuid.js';

describe('a new UUID', () => {
  it('has version 7 and the current time', () => {
    const before = Date.now();
    const id = uuid();
    expect(validate(id)).toBe(true);
    expect(version(id)).toBe(7);
    const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('is greater than the one before, also within a millisecond and beyond the pool of random bytes', () => {
    const ids = Array.from({ length: 10_000 }, uuid);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(-11))).size).toBe(ids.length);
  });
});

describe('a new UUID in SQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });

  afterAll(() => database?.drop());

  it('has version 7 and the time of its row', async () => {
    const rows = await database.query<{ before: string; id: string; after: string }>(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS before, ${NEW_UUID_IN_SQL} AS id,
              extract(epoch FROM clock_timestamp()) * 1000 AS after
         FROM generate_series(1, 200), pg_sleep(0.001)`,
      [],
    );
    for (const { before, id, after } of rows) {
      expect(validate(id)).toBe(true);
      expect(version(id)).toBe(7);
      const at = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + Number.parseInt(id.slice(15, 18), 16) / 4096;
      // In milliseconds; the resolution is a quarter of a microsecond.
      expect(at).toBeGreaterThan(Number(before) - 0.001);
      expect(at).toBeLessThan(Number(after) + 0.001);
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});
