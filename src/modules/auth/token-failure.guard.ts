import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { onFailure, onHandlerEnd } from '../../platform/http/handler-hooks.js';
import { FailureLimit } from '../../platform/throttling/failure-limit.js';

/**
 * Rejects an address after too many rejected credentials at the OAuth 2.0 endpoints, before the credentials are
 * verified.
 */
@Injectable()
export class TokenFailureGuard implements CanActivate {
  constructor(private readonly failures: FailureLimit) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const attempt = await this.failures.begin('tokenFailures', request, http.getResponse<Response>());
    // Counted before the response, so that the next attempt of the caller already meets it.
    onFailure(request, (error) => attempt.countFailure(error));
    onHandlerEnd(request, () => attempt.end());
    return true;
  }
}
