import type { Config } from '../config/config.js';
import type { BackgroundJobs, Step } from './background-jobs.js';
import { CleanupJobs } from './cleanup-jobs.js';

const BATCH = 1_000;

/** The job with its step, which a test runs itself. */
function create(): { cleanup: CleanupJobs; run: (stopping?: AbortSignal) => Promise<unknown> } {
  let step: Step;
  const background = { register: (_name: string, registered: Step) => (step = registered) };
  const cleanup = new CleanupJobs({ cleanup: { intervalS: 60 } } as Config, background as unknown as BackgroundJobs);
  return { cleanup, run: (stopping = new AbortController().signal) => step(stopping) };
}

it('lets removals take turns, so that a long one does not delay the others', async () => {
  const { cleanup, run } = create();
  const calls: string[] = [];
  const counts = [BATCH, BATCH, 1];
  cleanup.register('long', () => {
    calls.push('long');
    return Promise.resolve(counts.shift()!);
  });
  cleanup.register('short', () => {
    calls.push('short');
    return Promise.resolve(1);
  });
  await run();
  expect(calls).toEqual(['long', 'short', 'long', 'long']);
});

it('continues with the other removals after a failure', async () => {
  const { cleanup, run } = create();
  let removals = 0;
  cleanup.register('failing', () => Promise.reject(new Error('connection lost')));
  cleanup.register('working', () => Promise.resolve((removals += 1)));
  await run();
  expect(removals).toBe(1);
});

it('pauses three times as long as a full step took', async () => {
  const { cleanup, run } = create();
  const starts: number[] = [];
  cleanup.register('rows', async () => {
    starts.push(performance.now());
    if (starts.length === 2) return 0;
    await new Promise((done) => setTimeout(done, 50));
    return BATCH;
  });
  await run();
  expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(190);
});

it('ends a pause when the service stops', async () => {
  const { cleanup, run } = create();
  const stopping = new AbortController();
  let removals = 0;
  cleanup.register('rows', async () => {
    removals += 1;
    await new Promise((done) => setTimeout(done, 20));
    stopping.abort();
    return BATCH;
  });
  await run(stopping.signal);
  expect(removals).toBe(1);
});
