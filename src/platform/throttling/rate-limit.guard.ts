import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { clientAddress } from '../http/client-address.js';
import { hasOwnGuard, isTogether } from './rate-limit.decorator.js';
import { applyRateLimit } from './rate-limit-status.js';

/**
 * Counts every request in one bucket: policy `read` or `write`, or the shared policy of its route. Runs before the body
 * is read, so that a rejected request is cheap.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override throttlers: ThrottlerOptions[] = [];

  override async onModuleInit(): Promise<void> {
    // If all limits are off, the library would print a warning in every process.
    if ((this.options as ThrottlerOptions[]).length > 0) await super.onModuleInit();
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(hasOwnGuard(context));
  }

  /** The user, or the address of an anonymous caller. */
  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(request.principal?.userId ?? clientAddress(request));
  }

  protected override async handleRequest(attempt: ThrottlerRequest): Promise<boolean> {
    const { context, throttler, limit, ttl, blockDuration, getTracker } = attempt;
    const http = context.switchToHttp();
    const name = throttler.name!;
    const together = isTogether(name);
    const tracker = together ? '' : await getTracker(http.getRequest<Request>(), context);
    const status = await this.storageService.increment(tracker, ttl, limit, blockDuration, name);
    // The total of all callers is reported only with a rejection.
    if (together && !status.isBlocked) return true;
    applyRateLimit(http.getResponse<Response>(), name, { attempts: limit, windowS: ttl / 1000 }, status);
    return true;
  }
}
