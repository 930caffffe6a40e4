import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { limitUnreadBodies } from './unread-body.js';

describe('a body that nobody reads', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function answered(complete: boolean) {
    const destroy = jest.fn();
    const request = Object.assign(new EventEmitter(), { complete, socket: { destroy } });
    const response = new EventEmitter();
    const next = jest.fn();
    limitUnreadBodies(request as unknown as Request, response as unknown as Response, next);
    expect(next).toHaveBeenCalledTimes(1);
    response.emit('finish');
    return { request, destroy };
  }

  it('is cut off a minute after the answer', () => {
    const { destroy } = answered(false);
    jest.advanceTimersByTime(59_000);
    expect(destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('that ends in time, or was read before the answer, leaves the connection alone', () => {
    const late = answered(false);
    late.request.emit('end');
    const whole = answered(true);
    jest.advanceTimersByTime(120_000);
    for (const { destroy } of [late, whole]) expect(destroy).not.toHaveBeenCalled();
  });
});
