import { EventEmitter } from 'node:events';
import { AdaptiveLimit } from './adaptive-limit.js';
import { Lane, type Work } from './lane.js';

describe('AdaptiveLimit', () => {
  const create = () => new AdaptiveLimit({ min: 10, initial: 32, max: 100 });

  it('increases while it is used, up to its maximum', () => {
    const limit = create();
    limit.adjust(false, 32);
    expect(limit.value).toBe(40);
    for (let period = 0; period < 20; period++) limit.adjust(false, limit.value);
    expect(limit.value).toBe(100);
  });

  it('decreases during congestion, down to its minimum', () => {
    const limit = create();
    for (let period = 0; period < 20; period++) limit.adjust(true, limit.value);
    expect(limit.value).toBe(10);
    limit.reset();
    expect(limit.value).toBe(32);
  });

  it('remains if it is not used', () => {
    const limit = create();
    limit.adjust(true, 20);
    limit.adjust(false, 20);
    expect(limit.value).toBe(32);
  });
});

describe('Lane', () => {
  let started: number[];
  let rejected: number[];
  let lane: Lane;

  const works = new Map<number, Work>();

  beforeEach(() => {
    [started, rejected] = [[], []];
    works.clear();
    const limit = new AdaptiveLimit({ min: 2, initial: 2, max: 2 });
    const nameOf = (work: Work) => [...works].find(([, each]) => each === work)![0];
    lane = new Lane(
      limit,
      { requests: 3, ms: 1_000, intervalMs: 10 },
      (work) => rejected.push(nameOf(work)),
      () => undefined,
    );
  });

  function add(name: number, arrivedAt = performance.now()): void {
    const response = Object.assign(new EventEmitter(), { headersSent: false, destroyed: false });
    const work = {
      request: { complete: true },
      response,
      start: () => started.push(name),
      arrivedAt,
      maxWaitMs: 0,
      readyAt: arrivedAt,
      isWaiting: false,
      isComplete: false,
      isCounted: false,
    } as unknown as Work;
    works.set(name, work);
    lane.add(work);
  }

  const end = (name: number) => works.get(name)!.response.emit('close');

  it('starts requests in order of arrival, and rejects those for which there is no room', () => {
    for (const name of [1, 2, 3, 4, 5, 6]) add(name);
    expect([started, rejected]).toEqual([[1, 2], [6]]);
    end(1);
    end(2);
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('rejects requests that wait for longer than a burst, and during overload for a moment', () => {
    for (const name of [1, 2, 3]) add(name, 0);
    lane.endPeriod(900);
    expect(rejected).toEqual([]);
    lane.endPeriod(1_001);
    expect(rejected).toEqual([3]);
  });

  it('rejects a request at once if its turn is expected too late', () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    for (const name of [1, 2, 3, 4]) add(name);
    for (const [name, at] of [
      [1, 6_000],
      [2, 12_000],
    ] as const) {
      jest.mocked(performance.now).mockReturnValue(at);
      end(name);
    }
    expect([started, rejected]).toEqual([[1, 2, 3, 4], []]);
    jest.restoreAllMocks();
    // One request has ended in six seconds.
    add(5, 12_000);
    expect(rejected).toEqual([5]);
  });

  it('rejects a request that waits during overload, not those that arrived before it', () => {
    for (const name of [1, 2, 3]) add(name, 0);
    lane.endPeriod(990);
    add(4, 995);
    add(5, 1_001);
    expect(rejected).toEqual([5]);
    lane.endPeriod(1_060);
    expect(rejected).toEqual([5, 3]);
  });

  it('does not count a response that a slow client reads', () => {
    for (const name of [1, 2, 3]) add(name);
    Object.assign(works.get(1)!.response, { headersSent: true });
    lane.endPeriod(performance.now());
    expect(started).toEqual([1, 2]);
    lane.endPeriod(performance.now() + 1_500);
    expect(started).toEqual([1, 2, 3]);
  });

  it('starts the next request as soon as another one waits for an event', () => {
    for (const name of [1, 2, 3, 4]) add(name);
    const { request } = works.get(1)!;
    request.setWaiting!(true);
    expect([started, lane.concurrent]).toEqual([[1, 2, 3], 2]);
    lane.endPeriod(performance.now());
    expect(lane.concurrent).toBe(2);
    request.setWaiting!(false);
    expect(lane.concurrent).toBe(3);
    end(2);
    expect(started).toEqual([1, 2, 3]);
    end(1);
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('does not count a request whose client has disconnected during its wait', () => {
    add(1);
    const { request } = works.get(1)!;
    request.setWaiting!(true);
    end(1);
    request.setWaiting!(false);
    expect(lane.concurrent).toBe(0);
  });

  it('measures the time of a request without its wait for an event', () => {
    add(1);
    const work = works.get(1)!;
    work.readyAt -= 5_000;
    work.request.setWaiting!(true);
    work.request.setWaiting!(false);
    expect(performance.now() - work.readyAt).toBeLessThan(1_000);
  });

  it('does not start a request whose client has disconnected', () => {
    for (const name of [1, 2, 3, 4]) add(name);
    Object.assign(works.get(3)!.response, { destroyed: true });
    end(1);
    expect(started).toEqual([1, 2, 4]);
  });
});
