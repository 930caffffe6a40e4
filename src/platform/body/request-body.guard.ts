import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { bodyOptions } from './body.decorators.js';
import { hasBody, RequestBodyReader } from './request-body-reader.js';

/**
 * Reads the body once the caller is known and counted, so that no unknown caller's body is ever read, and before
 * interceptors and pipes, which find `request.body` complete.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(private readonly reader: RequestBodyReader) {}

  /** Without a body it returns no promise, which Nest would wait for. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!hasBody(context.switchToHttp().getRequest<Request>()) || bodyOptions(context).readsOwn) return true;
    return this.reader.read(context).then(() => true);
  }
}
