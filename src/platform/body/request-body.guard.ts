import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type NextFunction, type Request, type Response } from 'express';
import { Config } from '../config/config.js';
import { isStreamed } from './streamed-body.decorator.js';
import { acceptsFiles } from './accepts-files.decorator.js';
import { FileBodies } from './file-bodies.js';
import { readBody } from './body-reader.js';
import { BodyMemory } from './body-memory.js';
import { DomainError, UnsupportedMediaTypeError } from '../http/domain-error.js';
import { hasOwnGuard } from '../throttling/rate-limit.decorator.js';
import { redactSecrets } from '../http/secrets-in-text.js';
import { checkBytes, checkParsed } from './json-body.js';

declare module 'http' {
  interface IncomingMessage {
    /** Why the body could not be read, for a guard of the route that counts the attempt first and throws this then. */
    unreadable?: unknown;
  }
}

const BODY_LIMIT = Symbol('body-limit');
const BODY_SHAPE = Symbol('body-shape');

/** Names of the limits a route can choose instead of the default, all in bytes. */
type BodyLimit = 'bulk' | 'credentials';

/**
 * Anybody may open a body on the routes that take credentials: so small a share of the memory for bodies each, that
 * strangers who open many and send nothing shut nobody out.
 */
const CREDENTIALS_BYTES = 16 * 1024;
/** By when such a body must be there. */
const CREDENTIALS_MS = 10_000;

/** The route takes JSON bodies up to the named limit. */
export const BodyLimit = (limit: BodyLimit): MethodDecorator => SetMetadata(BODY_LIMIT, limit);

/** What the route's body looks like, for callers who send something else. */
export const BodyShape = (shape: string): MethodDecorator => SetMetadata(BODY_SHAPE, shape);

const EXACT = Symbol('exact-numbers');

/** Numbers that would lose digits as doubles reach the route as the texts they are written as, to be refused or kept there. */
export const ExactNumbers = (): MethodDecorator => SetMetadata(EXACT, true);

type BodyParser = ReturnType<typeof express.json>;

const FORMS = Symbol('forms');

/** The route takes forms beside JSON: `application/x-www-form-urlencoded`, as clients of OAuth 2.0 send them. */
export const AcceptsForms = (): MethodDecorator => SetMetadata(FORMS, true);

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Parameters of a form; what takes forms takes half a dozen. */
const MAX_PARAMETERS = 100;

const FILES_TYPE = 'multipart/form-data';

/** For callers whose files do not fit into a JSON body. */
const FILES_ADVICE = ` Base64 in JSON grows by a third: send larger files as ${FILES_TYPE}.`;

/** Was the body sent as a form? */
export function isForm(request: Request): boolean {
  return Boolean(request.is(FORM_TYPE));
}

/**
 * Reads and parses the body. It runs after the access guard, so that only a known caller's body is ever read, and
 * before pipes and interceptors, which find `request.body` complete.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  private readonly defaultLimit: number;
  private readonly filesLimit: number;
  private readonly limits: Record<BodyLimit, number>;
  private readonly parsers = new Map<string, BodyParser>();

  constructor(
    private readonly reflector: Reflector,
    private readonly memory: BodyMemory,
    private readonly files: FileBodies,
    config: Config,
  ) {
    this.defaultLimit = config.body.defaultLimitBytes;
    this.filesLimit = config.uploads.jsonMaxBytes;
    this.limits = { bulk: config.tables.bulkMaxBytes, credentials: CREDENTIALS_BYTES };
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (!hasBody(request) || isStreamed(context)) return true;
    try {
      await this.read(context, request, response);
    } catch (error) {
      if (!hasOwnGuard(context)) throw error;
      request.body = undefined;
      request.unreadable = error;
    }
    return true;
  }

  private async read(context: ExecutionContext, request: Request, response: Response): Promise<void> {
    const files = acceptsFiles(context);
    if (files && request.is(FILES_TYPE)) {
      requireIdentity(request);
      await this.files.readForm(request, response);
      return;
    }
    const takesForms = this.reflector.get<boolean | undefined>(FORMS, context.getHandler()) === true;
    const form = takesForms && isForm(request);
    if (!form) requireJson(request, takesForms ? FORM_TYPE : files ? FILES_TYPE : undefined);
    const bytes = await this.readWhole(context, request, response, form);
    // Flat, and read by the names of its parameters alone.
    if (form) return;
    const exactly = this.reflector.get<boolean | undefined>(EXACT, context.getHandler()) === true;
    checkParsed(request, exactly, this.reflector.get<string | undefined>(BODY_SHAPE, context.getHandler()));
    if (files) await this.files.takeFromJson(request, response, bytes);
  }

  /** @returns the bytes reserved for the body. */
  private async readWhole(context: ExecutionContext, request: Request, response: Response, form: boolean) {
    const named = this.reflector.get<BodyLimit | undefined>(BODY_LIMIT, context.getHandler());
    const files = acceptsFiles(context);
    const limit = named ? this.limits[named] : files ? this.filesLimit : this.defaultLimit;
    // A chunked or compressed body may turn out as large as the limit allows.
    const length = Number(request.headers['content-length'] ?? limit);
    const bytes = request.headers['content-encoding'] ? limit : length;
    const advice = files ? FILES_ADVICE : '';
    if (length > limit) throw tooLarge(limit, length, advice);
    this.memory.reserve(request, response, bytes);
    const reading = this.parse(request, response, this.parser(form, limit), advice);
    await readBody(request, reading, named === 'credentials' ? CREDENTIALS_MS : undefined);
    return bytes;
  }

  private parser(form: boolean, limit: number): BodyParser {
    const name = `${form ? 'form' : 'json'}:${limit}`;
    let parser = this.parsers.get(name);
    if (!parser) {
      parser = form
        ? express.urlencoded({ limit, extended: false, parameterLimit: MAX_PARAMETERS })
        : express.json({ limit, strict: false, verify: checkBytes });
      this.parsers.set(name, parser);
    }
    return parser;
  }

  private async parse(request: Request, response: Response, parser: BodyParser, advice: string): Promise<void> {
    await new Promise<void>((done, failed) => {
      const next = (error?: unknown) => (error ? failed(translate(error, advice)) : done());
      parser(request, response, next as NextFunction);
    });
  }
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

/** @param beside what else the route takes. */
function requireJson(request: Request, beside: string | undefined): void {
  if (request.is('application/json')) return;
  const taken = beside ? `application/json or ${beside}` : 'application/json';
  const sent = request.headers['content-type'] || 'no Content-Type';
  throw new UnsupportedMediaTypeError(`This takes ${taken}; the request has ${sent.slice(0, 100)}.`);
}

/** Files are compressed already, and unpacking is how a small body becomes a huge one. */
function requireIdentity({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new UnsupportedMediaTypeError(`${FILES_TYPE} is taken as it is, not as ${encoding.slice(0, 100)}.`);
}

interface BodyParserError {
  type?: string;
  message?: string;
  limit?: number;
  /** The length the request declared. */
  length?: number;
  /** Without one: what had come, unpacked, when it was too much. */
  received?: number;
}

/** What body-parser found wrong, in the service's terms. */
function translate(error: unknown, advice: string): unknown {
  if (error instanceof DomainError) return error;
  const { type, limit, length, received, message } = error as BodyParserError;
  switch (type) {
    case 'entity.too.large':
      return tooLarge(limit ?? 0, length ?? received, advice);
    case 'entity.parse.failed':
      return new DomainError('malformed', 'malformed_json', `The body is not valid JSON: ${redactSecrets(message)}`);
    case 'parameters.too.many':
      return new DomainError('malformed', 'invalid_request', `A form has at most ${MAX_PARAMETERS} parameters.`);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeError(String(message));
    case 'request.aborted':
    case 'request.size.invalid':
      return new DomainError('malformed', 'incomplete_body', 'The body ended before it was complete.');
    default:
      return error;
  }
}

function tooLarge(limit: number, actual: number | undefined, advice: string): DomainError {
  const size = actual === undefined ? 'is larger' : `has ${actual} bytes`;
  const message = `The body ${size}; this route takes at most ${limit} bytes.${advice}`;
  return new DomainError('too_large', 'too_large', message, { details: { limit, actual } });
}
