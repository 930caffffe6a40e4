import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { readBody } from './body-reader.js';

const KIB = 1024;

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** Sends so much every ten seconds, and tells how it ended; undefined where it goes on after two minutes. */
async function sending(bytes: number, mostMs?: number): Promise<string | undefined> {
  const request = new PassThrough();
  let ended: string | undefined;
  void readBody(request as unknown as IncomingMessage, new Promise(() => undefined), undefined, mostMs).catch(
    (error: unknown) => void (ended = (error as Error).message),
  );
  for (let at = 0; at < 12 && ended === undefined; at++) {
    request.write(Buffer.alloc(bytes));
    await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(10_000);
  }
  return ended;
}

describe('a body of any length', () => {
  it('is given up where it trickles', async () => {
    expect(await sending(1, Infinity)).toBe(
      'Only 3 bytes of the body have come within 30 seconds; at least 32768 have to.',
    );
  });

  it('may take all the time where it comes fast enough', async () => {
    expect(await sending(11 * KIB, Infinity)).toBeUndefined();
  });

  it('is given up where it stands still, whatever came before', async () => {
    const request = new PassThrough();
    const ended = readBody(request as unknown as IncomingMessage, new Promise(() => undefined), undefined, Infinity);
    ended.catch(() => undefined);
    request.write(Buffer.alloc(KIB * KIB));
    await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(60_000);
    await expect(ended).rejects.toMatchObject({ code: 'request_timeout' });
  });
});

it('a body that has an end in time may trickle', async () => {
  expect(await sending(1)).toBeUndefined();
});
