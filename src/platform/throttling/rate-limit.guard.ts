import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { clientAddress } from '../http/client-address.js';
import { hasOwnGuard, isTogether } from './rate-limit.decorator.js';
import { setRateLimitHeaders } from './rate-limit-headers.js';

/**
 * Every request counts under one policy: `read` or `write`, or the shared one that its route names. It stands before the
 * body is read, so that a refused request costs next to nothing.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override throttlers: ThrottlerOptions[] = [];

  override async onModuleInit(): Promise<void> {
    // Whoever turns all limits off knows; the library would warn of it in every process, the operator's too.
    if ((this.options as ThrottlerOptions[]).length > 0) await super.onModuleInit();
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(hasOwnGuard(context));
  }

  /** The user, wherever the user is; else the address. */
  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(request.principal?.userId ?? clientAddress(request));
  }

  protected override async handleRequest(counted: ThrottlerRequest): Promise<boolean> {
    const { context, throttler, limit, ttl, blockDuration, getTracker } = counted;
    const http = context.switchToHttp();
    const name = throttler.name!;
    const together = isTogether(name);
    const tracker = together ? '' : await getTracker(http.getRequest<Request>(), context);
    const standing = await this.storageService.increment(tracker, ttl, limit, blockDuration, name);
    // How all stand together is no caller's business, until it is refused for it.
    if (together && !standing.isBlocked) return true;
    setRateLimitHeaders(http.getResponse<Response>(), name, { attempts: limit, windowS: ttl / 1000 }, standing);
    return true;
  }
}
