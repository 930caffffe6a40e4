import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

const current = new AsyncLocalStorage<Request>();

/** Remembers the request for all that is done on its behalf, so that no service hands its address on and on. */
export function requestContext(request: Request, _response: Response, next: NextFunction): void {
  current.run(request, next);
}

/** Whom the work at hand is for, and where it comes from; undefined outside of a request, as under the operator's hand. */
export function currentOrigin(): { userId?: string; address?: string; requestId: string } | undefined {
  const request = current.getStore();
  return request && { userId: request.principal?.userId, address: request.ip, requestId: request.requestId };
}
