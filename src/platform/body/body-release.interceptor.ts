import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { finalize, type Observable } from 'rxjs';

/**
 * Releases the memory and the temporary files of a body when its handler is done, and not when the client disconnects:
 * a disconnected client does not end the work, and its memory must not be given to other bodies meanwhile.
 */
@Injectable()
export class BodyReleaseInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const releaseFiles = request.temporaryFiles?.retain();
    const memory = request.bodyMemory;
    request.bodyMemory = undefined;
    return next.handle().pipe(
      finalize(() => {
        // A client that reads the response slowly must not prolong the use of memory.
        if (memory) request.body = undefined;
        memory?.release();
        releaseFiles?.();
      }),
    );
  }
}
