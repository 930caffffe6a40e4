import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { endHandler, onFailure, onHandlerEnd, runFailureHooks } from './handler-hooks.js';

const newRequest = () => new IncomingMessage(new Socket());

describe('onHandlerEnd', () => {
  it('calls back once, in the order of registration', () => {
    const request = newRequest();
    const calls: string[] = [];
    onHandlerEnd(request, () => calls.push('memory'));
    onHandlerEnd(request, () => calls.push('files'));
    expect(calls).toEqual([]);
    endHandler(request);
    // A reply that fails reaches the filter, too.
    endHandler(request);
    expect(calls).toEqual(['memory', 'files']);
  });

  it('does not call back for another request', () => {
    let calls = 0;
    onHandlerEnd(newRequest(), () => calls++);
    endHandler(newRequest());
    expect(calls).toBe(0);
  });
});

describe('onFailure', () => {
  it('waits for each hook before the next one, and returns the error', async () => {
    const request = newRequest();
    const error = new Error('wrong secret');
    const seen: unknown[] = [];
    onFailure(request, async (each) => {
      await Promise.resolve();
      seen.push(['counted', each]);
    });
    onFailure(request, (each) => Promise.resolve(void seen.push(['recorded', each])));
    expect(await runFailureHooks(request.failureHooks!, error)).toBe(error);
    expect(seen).toEqual([
      ['counted', error],
      ['recorded', error],
    ]);
  });

  it('returns the error of a hook that fails, and passes it to the next one', async () => {
    const request = newRequest();
    const limit = new Error('too many failures');
    const seen: unknown[] = [];
    onFailure(request, () => Promise.reject(limit));
    onFailure(request, (each) => Promise.resolve(void seen.push(each)));
    expect(await runFailureHooks(request.failureHooks!, new Error('wrong secret'))).toBe(limit);
    expect(seen).toEqual([limit]);
  });
});
