import { randomInt } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { finalize, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { UnavailableError } from './domain-error.js';

declare module 'http' {
  interface IncomingMessage {
    /** Gives the body's bytes back, until the handler has taken this over. */
    releaseBody?: () => void;
  }
}

/** Callers who are refused are asked to come back within this time, in seconds. */
const MAX_RETRY_AFTER_S = 3;

/**
 * Bounds the memory that request bodies hold. A body's bytes are reserved before the first of them is read and given
 * back when its handler is done; what does not fit is refused at once, so that a flood is shed and not suffered.
 *
 * A body of any allowed size gets in when nothing else is held, also where it is larger than the whole budget.
 */
@Injectable()
export class BodyMemory {
  private readonly budget: number;
  private held = 0;

  constructor(config: Config) {
    this.budget = config.body.memoryBytes;
  }

  /** @returns the call that gives the bytes back. @throws {UnavailableError} when the budget is spent. */
  reserve(bytes: number): () => void {
    if (this.held > 0 && this.held + bytes > this.budget) {
      throw new UnavailableError(
        'overloaded',
        'The service is holding as many request bodies as it can; try again shortly.',
        // Not all at the same moment, or most of them are refused again.
        randomInt(1, MAX_RETRY_AFTER_S + 1),
      );
    }
    this.held += bytes;
    let returned = false;
    return () => {
      if (!returned) this.held -= bytes;
      returned = true;
    };
  }
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
