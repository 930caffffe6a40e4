import { validate, version } from 'uuid';
import { uuid } from './uuid.js';

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
