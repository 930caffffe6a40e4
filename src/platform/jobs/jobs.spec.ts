import type { Config } from '../config/config.js';
import type { Database } from '../database/database.js';
import { Jobs } from './jobs.js';
import type { JobsRepository } from './jobs.repository.js';

const BATCH = 1_000;

let jobs: Jobs;

/** Cleanups follow each other at once; no work is queued. */
beforeEach(() => {
  const database = { onReachableNodes: (work: () => unknown) => work() } as unknown as Database;
  const repository = { findDue: () => Promise.resolve([]) } as unknown as JobsRepository;
  jobs = new Jobs(repository, database, { cleanup: { intervalS: 0.001 }, jobs: { pollS: 60 } } as Config);
});

afterEach(() => jobs.beforeApplicationShutdown());

/** A removal that a test waits for. */
function createRemoval(counts: number[]) {
  const starts: number[] = [];
  let end: () => void;
  const ended = new Promise<void>((done) => (end = done));
  const removal = async () => {
    starts.push(performance.now());
    if (counts.length === 0) end();
    await new Promise((done) => setTimeout(done, 50));
    return counts.shift() ?? 0;
  };
  return { removal, starts, ended };
}

it('lets a long cleanup delay no other', async () => {
  let end!: (removed: number) => void;
  jobs.cleanUp('long', () => new Promise<number>((done) => (end = done)));
  const { removal, starts, ended } = createRemoval([1]);
  jobs.cleanUp('short', removal);
  jobs.start();
  await ended;
  expect(starts).toHaveLength(2);
  end(0);
});

it('repeats a cleanup after a failure', async () => {
  const { removal, ended } = createRemoval([]);
  let attempts = 0;
  jobs.cleanUp('rows', () => (++attempts === 1 ? Promise.reject(new Error('connection lost')) : removal()));
  jobs.start();
  await ended;
  expect(attempts).toBe(2);
});

// A step removes as many rows of each workspace.
it.each([1, 2])('pauses three times as long as a step with %i full batches took', async (batches) => {
  const { removal, starts, ended } = createRemoval([batches * BATCH]);
  jobs.cleanUp('rows', removal);
  jobs.start();
  await ended;
  expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(190);
});

it('ends a pause when the service stops, and waits for a running step', async () => {
  let removals = 0;
  const started = new Promise<void>((done) => {
    jobs.cleanUp('rows', async () => {
      done();
      await new Promise((ready) => setTimeout(ready, 50));
      removals++;
      return BATCH;
    });
  });
  jobs.start();
  await started;
  await jobs.beforeApplicationShutdown();
  expect(removals).toBe(1);
});
