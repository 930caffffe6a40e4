import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  HttpCode,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { Config } from '../config/config.js';
import { matchesEtag } from './etags.js';
import { nextPageLink } from './page-link.js';

const ENVELOPE = Symbol('envelope');

interface EnvelopeOptions {
  /** HTTP status where the handler says nothing else; 200 by default. */
  status?: number;
  /** The envelope's `message`. */
  message?: string;
  /** `data` is a list of the type. */
  isArray?: boolean;
  /** Further success statuses that a `Reply` may choose, each with when it is chosen. */
  also?: Record<number, string>;
  /** What a success means, for the OpenAPI document. */
  description?: string;
  /** Headers of a success beside those of every answer, each with what it says. */
  headers?: Record<string, string>;
  /** What a success may be in place of the envelope, where the caller asks for it: media types, each with an example. */
  orElse?: Record<string, string>;
}

/**
 * A success whose status, message or headers the service's outcome decides. A bare one is sent without the envelope, as
 * the protocol of others has it.
 */
export class Reply<T> {
  constructor(
    readonly data: T,
    readonly options: { status?: number; message?: string; headers?: Record<string, string>; bare?: boolean } = {},
  ) {}
}

/**
 * The handler's result is sent as `data` of the envelope (specification, section 1), on the wire and in the OpenAPI
 * document alike. `null` as the type means that `data` is null.
 */
export function Enveloped(type: Type | null, options: EnvelopeOptions = {}): MethodDecorator {
  const { status = 200, message = 'OK', isArray = false, also = {}, description = 'Success.' } = options;
  const { headers = {}, orElse = {} } = options;
  return applyDecorators(
    SetMetadata(ENVELOPE, message),
    HttpCode(status),
    ...(type ? [ApiExtraModels(type)] : []),
    ...Object.entries({ [status]: description, ...also }).map(([code, text]) =>
      ApiResponse({
        status: Number(code),
        description: text,
        ...(Object.keys(headers).length > 0 ? { headers: describedHeaders(headers) } : {}),
        content: {
          'application/json': { schema: envelopeSchema(type, isArray, Number(code), message) },
          ...describedStreams(orElse),
        },
      }),
    ),
  );
}

function describedHeaders(headers: Record<string, string>) {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries(described) as Record<string, object>;
}

function describedStreams(streams: Record<string, string>) {
  const described = Object.entries(streams).map(([type, example]) => [type, { schema: { type: 'string' }, example }]);
  return Object.fromEntries(described) as Record<string, object>;
}

function envelopeSchema(type: Type | null, isArray: boolean, status: number, message: string) {
  const item = type ? { $ref: getSchemaPath(type) } : { type: 'null' };
  return {
    type: 'object',
    required: ['status', 'message', 'timestamp', 'data'],
    properties: {
      status: { type: 'integer', description: 'HTTP status code of the result.', example: status },
      message: { type: 'string', example: message },
      timestamp: { type: 'integer', description: 'Milliseconds since the Unix epoch.', example: 1_767_225_600_000 },
      data: isArray ? { type: 'array', items: item } : item,
    },
  };
}

/** Wraps what a handler marked `@Enveloped` returns. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = this.reflector.get<string | undefined>(ENVELOPE, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      map((result: unknown) => {
        if (message === undefined && !(result instanceof Reply)) return result;
        const answer = wrap(result, message ?? 'OK', response);
        this.linkNextPage(request, response, result);
        return isKnown(request, response) ? void response.status(304) : answer;
      }),
    );
  }

  /** Pages read by GET have a `Link` to the next page. A query in a body has no address to link to. */
  private linkNextPage(request: Request, response: Response, result: unknown): void {
    const nextCursor = request.method === 'GET' ? nextCursorOf(result) : undefined;
    if (nextCursor !== undefined)
      response.append('Link', nextPageLink(this.config.http.publicUrl, request, nextCursor));
  }
}

/** The cursor of the next page, if the result is a page and not the last one. */
function nextCursorOf(result: unknown): string | undefined {
  const data: unknown = result instanceof Reply ? result.data : result;
  const { nextCursor } = (data ?? {}) as { nextCursor?: unknown };
  return typeof nextCursor === 'string' ? nextCursor : undefined;
}

/** Has the caller the very answer already? */
function isKnown({ method, headers }: Request, response: Response): boolean {
  const etag = response.get('ETag');
  const sent = headers['if-none-match'];
  const reads = method === 'GET' || method === 'HEAD';
  return reads && etag !== undefined && sent !== undefined && matchesEtag(sent, etag);
}

function wrap(result: unknown, message: string, response: Response) {
  if (!(result instanceof Reply))
    return { status: response.statusCode, message, timestamp: Date.now(), data: result ?? null };
  const { options, data } = result as Reply<unknown>;
  if (options.status) response.status(options.status);
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A route may have links of its own beside those of its answers.
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
