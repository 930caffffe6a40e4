import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { finalize, type Observable } from 'rxjs';

/** Keeps a request's files until its handler is done: a client that goes away does not end the work. */
@Injectable()
export class UploadRelease implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { spooled } = context.switchToHttp().getRequest<Request>();
    return spooled ? next.handle().pipe(finalize(spooled.hold())) : next.handle();
  }
}
