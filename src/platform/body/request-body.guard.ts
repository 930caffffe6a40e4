import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { bodyOptions } from './body.decorators.js';
import { RequestBodyReader } from './request-body-reader.js';

/**
 * Reads the body once the caller is known and counted, so that no unknown caller's body is ever read, and before
 * interceptors and pipes, which find `request.body` complete.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(private readonly reader: RequestBodyReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!bodyOptions(context).ownGuard) await this.reader.read(context);
    return true;
  }
}
