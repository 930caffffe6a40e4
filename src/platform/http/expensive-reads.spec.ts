import type { Request, Response } from 'express';
import type { CopyStreams } from '../database/copy-streams.js';
import type { Sql } from '../../../packages/sql/src/sql.js';
import { ExpensiveReads } from './expensive-reads.js';
import { requestContext } from './middleware.js';

describe('expensive reads', () => {
  const create = (poolSize: number, lockTimeoutMs = 60_000) =>
    new ExpensiveReads({ hasConnection: false } as Sql, {} as CopyStreams, { poolSize, lockTimeoutMs });
  const acquireAs = (reads: ExpensiveReads, userId: string) => {
    const request = { principal: { userId }, requestId: '', headers: {} } as Request;
    return new Promise<() => void>((done) => {
      requestContext(request, {} as Response, () => done(reads.acquire()));
    });
  };

  it.each([
    [10, 5, 4],
    [4, 2, 1],
    [1, 1, 1],
  ])('use of a pool of %i connections %i, and one caller %i', (poolSize, limit, limitPerCaller) => {
    const { turns } = create(poolSize);
    expect([turns.capacity, turns.limit]).toEqual([limit, limitPerCaller]);
  });

  it('of one caller leave a turn for another, and wait in the order of their arrival', async () => {
    const reads = create(6);
    const started: string[] = [];
    const begin = (name: string, caller: string) =>
      acquireAs(reads, caller).then((release) => {
        started.push(name);
        return release;
      });
    const first = await begin('a1', 'a');
    await begin('a2', 'a');
    const third = begin('a3', 'a');
    const other = await begin('b1', 'b');
    const fourth = begin('b2', 'b');
    expect(started).toEqual(['a1', 'a2', 'b1']);
    first();
    first();
    await third;
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    other();
    await fourth;
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('are rejected if their turn is too late, and a failed one ends its turn', async () => {
    const reads = create(2, 20);
    await expect(reads.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const release = await acquireAs(reads, 'a');
    await expect(acquireAs(reads, 'b')).rejects.toMatchObject({ code: 'busy', kind: 'unavailable' });
    release();
    await expect(acquireAs(reads, 'b')).resolves.toBeInstanceOf(Function);
  });
});
