import { findRetryDelay } from './retry-schedule.js';

describe('the delay before a retry', () => {
  it.each([
    [1, undefined, 0, 5],
    [1, undefined, 1, 6],
    [2, undefined, 0.5, 330],
    [3, undefined, 0, undefined],
    [1, 60, 0.5, 60],
    [2, 60, 0, 300],
    [1, 1_000_000, 0, 86_400],
  ])('after %d failures with Retry-After %s and random %d is %s', (failures, retryAfter, random, expected) => {
    expect(findRetryDelay([5, 300], failures, retryAfter, random)).toBe(expected);
  });
});
