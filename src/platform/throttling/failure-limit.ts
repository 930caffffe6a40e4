import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import type { RatePolicy } from '../config/rate-policy.js';
import { clientAddress } from '../http/client-address.js';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { applyRateLimit, type RateLimitStatus } from './rate-limit-status.js';
import { RateLimitStorage } from './rate-limit-storage.js';

/** Policies that count only rejected credentials, by address. */
export type FailurePolicyName = 'tokenFailures' | 'keyFailures';

/** An attempt whose credentials are being verified. */
export interface Attempt {
  /**
   * Counts the attempt if the error rejects its credentials (`unauthenticated`).
   *
   * @throws {TooManyRequestsError} if the limit was reached meanwhile, by attempts on other instances.
   */
  countFailure(error: unknown): Promise<void>;
  /** Must be called for each attempt, after `countFailure`. */
  end(): void;
}

const UNLIMITED: Attempt = { countFailure: () => Promise.resolve(), end: () => undefined };

/** The attempts of one address. */
interface AddressState {
  /** Attempts that wait or are in progress. */
  open: number;
  inProgress: number;
  /** Failures that this instance counted. Those after a read of the bucket are not contained in its result. */
  failures: number;
  /** Attempts that continue when one in progress has ended. */
  waiting: (() => void)[];
}

/**
 * Rejects an address after too many attempts with invalid credentials, before the credentials are verified. Attempts
 * that succeed do not count.
 *
 * The limit is exact: an attempt begins only if it may fail together with all that are in progress on this instance.
 * Otherwise it waits until one of them has ended. Across instances a shared policy is exact too, because each failure
 * is counted before its response, and those beyond the limit return the error of the limit.
 */
@Injectable()
export class FailureLimit {
  private readonly states = new Map<string, AddressState>();

  constructor(
    private readonly storage: RateLimitStorage,
    private readonly config: Config,
  ) {}

  /** Runs a verification of credentials as one attempt. @throws {TooManyRequestsError} */
  async run<T>(name: FailurePolicyName, request: Request, response: Response, verify: () => Promise<T>): Promise<T> {
    const attempt = await this.begin(name, request, response);
    try {
      return await verify();
    } catch (error) {
      await attempt.countFailure(error);
      throw error;
    } finally {
      attempt.end();
    }
  }

  /** Waits until the attempt may begin. @throws {TooManyRequestsError} */
  async begin(name: FailurePolicyName, request: Request, response: Response): Promise<Attempt> {
    const { shared, local } = this.config.rateLimits;
    const policy = { ...shared, ...local }[name];
    if (!policy) return UNLIMITED;
    const address = clientAddress(request);
    const key = `${name} ${address}`;
    const state = this.open(key);
    const apply = (status: RateLimitStatus) => applyRateLimit(response, name, policy, status);
    try {
      await this.admit(name, address, policy, state, apply);
    } catch (error) {
      this.close(key, state);
      throw error;
    }
    let hasEnded = false;
    return {
      countFailure: async (error) => {
        if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') return;
        const status = await this.storage.count(name, policy, address);
        state.failures++;
        if (status.isBlocked) apply(status);
      },
      end: () => {
        if (hasEnded) return;
        hasEnded = true;
        state.inProgress--;
        for (const next of state.waiting.splice(0)) next();
        this.close(key, state);
      },
    };
  }

  private async admit(
    name: FailurePolicyName,
    address: string,
    policy: RatePolicy,
    state: AddressState,
    apply: (status: RateLimitStatus) => void,
  ): Promise<void> {
    for (;;) {
      const before = state.failures;
      const status = await this.storage.peek(name, policy, address);
      if (status.isBlocked) {
        // The attempt that reaches the limit begins the block, if the policy has one.
        apply(policy.blockS > 0 ? await this.storage.count(name, policy, address) : status);
        continue;
      }
      if (status.totalHits + state.failures - before + state.inProgress < policy.attempts) break;
      if (state.inProgress > 0) await new Promise<void>((resolve) => state.waiting.push(resolve));
    }
    state.inProgress++;
  }

  private open(key: string): AddressState {
    let state = this.states.get(key);
    if (!state) this.states.set(key, (state = { open: 0, inProgress: 0, failures: 0, waiting: [] }));
    state.open++;
    return state;
  }

  private close(key: string, state: AddressState): void {
    if (--state.open === 0) this.states.delete(key);
  }
}
