import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { FailureLimit } from './failure-limit.js';
import { LocalBuckets } from './local-buckets.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import type { SharedBucketsRepository } from './shared-buckets.repository.js';
import { TooManyRequestsError } from './throttling.errors.js';
import { SECURITY_ERRORS } from '../security/security.errors.js';

const RESPONSE = { setHeader: () => undefined } as unknown as Response;
const rejection = () => new DomainError(SECURITY_ERRORS.unauthenticated, 'The credentials are invalid.');

describe('FailureLimit', () => {
  let limit: FailureLimit;
  let verified: number;

  beforeEach(() => {
    const policy = { attempts: 50, windowS: 60, blockS: 0 };
    const config = { rateLimits: { shared: {}, local: { keyFailures: policy } } } as unknown as Config;
    const storage = new RateLimitStorage({} as SharedBucketsRepository, new LocalBuckets(), config);
    limit = new FailureLimit(storage, config);
    verified = 0;
  });

  /** An attempt whose verification takes a moment and ends with the error, if there is one. */
  const attempt = async (error?: Error, ip = '192.0.2.1'): Promise<string> => {
    const verify = async () => {
      verified++;
      await new Promise((resolve) => setImmediate(resolve));
      if (error) throw error;
      return 'accepted';
    };
    try {
      return await limit.run('keyFailures', { ip } as Request, RESPONSE, verify);
    } catch (failure) {
      return failure instanceof TooManyRequestsError ? 'limited' : 'rejected';
    }
  };
  const count = (outcomes: string[], outcome: string) => outcomes.filter((each) => each === outcome).length;

  it('verifies exactly the allowed number of 90 parallel attempts that fail', async () => {
    const outcomes = await Promise.all(Array.from({ length: 90 }, () => attempt(rejection())));
    expect([count(outcomes, 'rejected'), count(outcomes, 'limited'), verified]).toEqual([50, 40, 50]);
  });

  it('accepts all parallel attempts that succeed, one after the other if only one may fail', async () => {
    for (let failures = 0; failures < 49; failures++) await attempt(rejection());
    const outcomes = await Promise.all(Array.from({ length: 90 }, () => attempt()));
    expect(count(outcomes, 'accepted')).toBe(90);
    expect([await attempt(rejection()), await attempt()]).toEqual(['rejected', 'limited']);
  });

  it('verifies at most the allowed number of failures among parallel attempts that succeed', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 180 }, (_, number) => attempt(number % 2 ? rejection() : undefined)),
    );
    expect(count(outcomes, 'rejected')).toBe(50);
    expect(verified).toBe(count(outcomes, 'accepted') + 50);
  });

  it('does not count errors that reject no credentials, and counts each address separately', async () => {
    await Promise.all(Array.from({ length: 60 }, () => attempt(new Error('unavailable'))));
    await Promise.all(Array.from({ length: 60 }, () => attempt(rejection())));
    expect([await attempt(), await attempt(undefined, '192.0.2.2')]).toEqual(['limited', 'accepted']);
  });
});
