import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { ByteBudget } from './byte-budget.js';

declare module 'http' {
  interface IncomingMessage {
    /** Gives the body's bytes back, until the handler has taken this over. */
    releaseBody?: () => void;
  }
}

/**
 * Bounds the memory that request bodies hold. A body's bytes are reserved before the first of them is read and given
 * back when its handler is done; what does not fit is refused at once.
 */
@Injectable()
export class BodyMemory {
  private readonly budget: ByteBudget;

  constructor(config: Config) {
    this.budget = new ByteBudget(
      config.body.memoryBytes,
      'The service is holding as many request bodies as it can; try again shortly.',
    );
  }

  /** Reserves the bytes until the request is over. @throws {UnavailableError} when the budget is spent. */
  reserve(request: Request, response: Response, bytes: number): void {
    request.releaseBody = this.budget.reserve(bytes);
    onResponseEnd(response, () => request.releaseBody?.());
  }

  /** Holds no more than so many bytes for the request from now on: some of its body has been let go of. */
  shrink(request: Request, bytes: number): void {
    request.releaseBody?.();
    request.releaseBody = this.budget.reserve(bytes);
  }
}

/** Acts when the answer has been sent or its caller is gone, which may have been before anybody asked. */
export function onResponseEnd(response: Response, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}

/**
 * Gives a body's bytes back when its handler is done with it, and not before: a client that goes away does not end the
 * work, and must make no room for another body meanwhile.
 */
@Injectable()
export class BodyRelease implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const release = request.releaseBody;
    if (!release) return next.handle();
    request.releaseBody = undefined;
    return next.handle().pipe(
      finalize(() => {
        // A slow reader of the answer must not keep the body.
        request.body = undefined;
        release();
      }),
    );
  }
}
