import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Request, Response } from 'express';
import { limitUnreadBodies, readInTime } from './body-timeouts.js';

const KIB = 1024;

describe('readInTime', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  /**
   * Sends so many bytes every ten seconds.
   *
   * @returns the error message, or undefined if there is none after 400 seconds.
   */
  async function send(bytes: number): Promise<string | undefined> {
    const request = new PassThrough();
    let message: string | undefined;
    void readInTime(request as unknown as IncomingMessage, new Promise(() => undefined)).catch(
      (error: unknown) => void (message = (error as Error).message),
    );
    for (let round = 0; round < 40 && message === undefined; round++) {
      request.write(Buffer.alloc(bytes));
      await new Promise(setImmediate);
      await jest.advanceTimersByTimeAsync(10_000);
    }
    return message;
  }

  it('rejects a body that is too slow', async () => {
    expect(await send(1)).toBe('The body was received too slowly: 3 bytes within 30 seconds. Send at least 32768.');
  });

  it('accepts a body that is fast enough, whatever its duration', async () => {
    expect(await send(11 * KIB)).toBeUndefined();
  });

  it('rejects a body that stops, even after many bytes', async () => {
    const request = new PassThrough();
    const reading = readInTime(request as unknown as IncomingMessage, new Promise(() => undefined));
    reading.catch(() => undefined);
    request.write(Buffer.alloc(KIB * KIB));
    await new Promise(setImmediate);
    await jest.advanceTimersByTimeAsync(60_000);
    await expect(reading).rejects.toMatchObject({ code: 'request_timeout' });
  });
});

describe('limitUnreadBodies', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function respond(complete: boolean) {
    const destroy = jest.fn();
    const request = Object.assign(new EventEmitter(), { complete, socket: { destroy } });
    const response = new EventEmitter();
    const next = jest.fn();
    limitUnreadBodies(request as unknown as Request, response as unknown as Response, next);
    expect(next).toHaveBeenCalledTimes(1);
    response.emit('finish');
    return { request, destroy };
  }

  it('closes the connection a minute after the response', () => {
    const { destroy } = respond(false);
    jest.advanceTimersByTime(59_000);
    expect(destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('leaves the connection open if the body ends in time or was read before the response', () => {
    const late = respond(false);
    late.request.emit('end');
    const complete = respond(true);
    jest.advanceTimersByTime(120_000);
    for (const { destroy } of [late, complete]) expect(destroy).not.toHaveBeenCalled();
  });
});
