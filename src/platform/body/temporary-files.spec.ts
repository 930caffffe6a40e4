import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { TemporaryFiles } from './temporary-files.js';

let dataDir: string;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  dataDir = mkdtempSync(join(tmpdir(), 'atrium-spool-'));
});
afterEach(() => {
  jest.useRealTimers();
  rmSync(dataDir, { recursive: true, force: true });
});

const instance = () => new TemporaryFiles({ dataDir, uploads: { temporaryBytes: 1024 } } as Config);

/** As if nobody had touched the file for so many seconds. */
function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 5_000; !holds();) {
    if (Date.now() > end) throw new Error('It did not come about.');
    await new Promise(setImmediate);
  }
}

describe('the spool of several instances', () => {
  it('loses no file that one of them holds, however old', async () => {
    const [mine, other] = [instance(), instance()];
    const share = mine.open(1);
    const letGo = share.hold();
    const { path } = await share.write([Buffer.from('x')], () => undefined);
    age(path, 3600);
    // Its own process has slept.
    expect(await mine.removeOld()).toBe(0);
    await jest.advanceTimersByTimeAsync(30_000);
    await until(() => statSync(path).mtimeMs > Date.now() - 60_000);
    expect(await other.removeOld()).toBe(0);
    letGo();
    await until(() => !existsSync(path));
  });

  it('is rid of what nobody has touched for five minutes', async () => {
    await instance()
      .open(1)
      .write([Buffer.from('x')], () => undefined);
    const spool = join(dataDir, 'spool');
    for (const [name, seconds] of [
      ['gone', 310],
      ['slow', 250],
    ] as const) {
      writeFileSync(join(spool, name), 'x');
      age(join(spool, name), seconds);
    }
    expect(await instance().removeOld()).toBe(1);
    expect(readdirSync(spool)).toEqual(['slow']);
  });
});
