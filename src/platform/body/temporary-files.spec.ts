import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { TemporaryFiles } from './temporary-files.js';

let dataDir: string;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  dataDir = mkdtempSync(join(tmpdir(), 'atrium-temporary-'));
});
afterEach(() => {
  jest.useRealTimers();
  rmSync(dataDir, { recursive: true, force: true });
});

const createInstance = () => new TemporaryFiles({ dataDir, body: { temporaryBytes: 1024 } } as Config);

/** Sets the time of the last change to so many seconds ago. */
function setAge(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 5_000; !condition();) {
    if (Date.now() > end) throw new Error('The condition was not met within 5 seconds.');
    await new Promise(setImmediate);
  }
}

describe('TemporaryFiles of several instances', () => {
  it('does not remove the files of running requests, however old they are', async () => {
    const [own, other] = [createInstance(), createInstance()];
    const quota = own.openUnlimited();
    const release = quota.retain();
    const { path } = await quota.write([Buffer.from('x')], () => undefined);
    setAge(path, 3600);
    // As if the process had been suspended.
    expect(await own.removeAbandoned()).toBe(0);
    await jest.advanceTimersByTimeAsync(30_000);
    await waitUntil(() => statSync(path).mtimeMs > Date.now() - 60_000);
    expect(await other.removeAbandoned()).toBe(0);
    release();
    await waitUntil(() => !existsSync(path));
  });

  it('removes files that were not touched for five minutes', async () => {
    await createInstance()
      .openUnlimited()
      .write([Buffer.from('x')], () => undefined);
    const directory = join(dataDir, 'temporary');
    for (const [name, seconds] of [
      ['abandoned', 310],
      ['slow', 250],
    ] as const) {
      writeFileSync(join(directory, name), 'x');
      setAge(join(directory, name), seconds);
    }
    expect(await createInstance().removeAbandoned()).toBe(1);
    expect(readdirSync(directory)).toEqual(['slow']);
  });
});
