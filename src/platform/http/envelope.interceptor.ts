import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { isNotModified } from './conditional-requests.js';
import { ENVELOPE_MESSAGE, Reply } from './envelope.js';
import { containsJsonText, stringifyJson } from './json-text.js';

/** Wraps the result of an `@Enveloped` handler, links the next page and replies 304 if the caller has the result. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = this.reflector.get<string | undefined>(ENVELOPE_MESSAGE, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((result: unknown) => {
        if (message === undefined && !(result instanceof Reply)) {
          ignoreAnyTag(request);
          return result;
        }
        const reply: Reply<unknown> = result instanceof Reply ? result : new Reply(result);
        const body = wrap(reply, message ?? 'OK', response);
        this.linkNextPage(request, response, reply);
        if (isNotModified(request, response.get('ETag'))) return void response.status(304);
        ignoreAnyTag(request);
        if (!containsJsonText(reply.data)) return body;
        response.type('json');
        return stringifyJson(body as object);
      }),
    );
  }

  /** Pages read by GET link to the next page. A query in a body has no URL to link to. */
  private linkNextPage({ method, originalUrl }: Request, response: Response, { data }: Reply<unknown>): void {
    const { nextCursor } = (data ?? {}) as { nextCursor?: unknown };
    if (method !== 'GET' || typeof nextCursor !== 'string') return;
    const url = new URL(this.config.http.publicUrl + originalUrl);
    url.searchParams.set('cursor', nextCursor);
    response.append('Link', `<${url.href}>; rel="next"`);
  }
}

/** Express answers 304 to `*`, also if the response has no ETag. */
function ignoreAnyTag({ headers }: Request): void {
  if (headers['if-none-match'] === '*') delete headers['if-none-match'];
}

function wrap({ data, options }: Reply<unknown>, message: string, response: Response) {
  if (options.status) response.status(options.status);
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A deprecated route already has a link to its successor.
    if (name === 'Link') response.append(name, value);
    else response.set(name, value);
  }
  if (options.bare) return data;
  return {
    status: response.statusCode,
    message: options.message ?? message,
    timestamp: Date.now(),
    data: data ?? null,
  };
}
