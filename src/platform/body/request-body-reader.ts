import { type ExecutionContext, Injectable } from '@nestjs/common';
import express, { type NextFunction, type Request, type Response } from 'express';
import { DomainError, UnsupportedMediaTypeError } from '../http/domain-error.js';
import { onHandlerEnd } from '../http/handler-hooks.js';
import {
  type BodyLimitName,
  type BodyOptions,
  bodyOptions,
  isForm,
  takesBody,
  URLENCODED_TYPE,
} from './body.decorators.js';
import { BodyTooLargeError, IncompleteBodyError } from './body.errors.js';
import { MAX_BODY_BYTES, MAX_BULK_BYTES, MAX_CREDENTIALS_BYTES, MAX_JSON_WITH_FILES_BYTES } from './body-limits.js';
import { digestJson } from './body-digest.js';
import type { BodyReader } from './body-reader.js';
import { BodyMemory } from './body-memory.js';
import type { Reservation } from './byte-budget.js';
import { ChargedBody } from './charged-body.js';
import { findOtherCharset, withoutCharset } from './charset.js';
import { type BodyDeadline, discardRest, readInTime } from './body-timeouts.js';
import { FileBodies } from './file-bodies.js';
import { parseBody, structureLimits } from './json-body.js';
import { JsonScanner } from './json-scanner.js';
import { HTTP_ERRORS } from '../http/http.errors.js';

const NAMED_LIMITS: Record<BodyLimitName, number> = { bulk: MAX_BULK_BYTES, credentials: MAX_CREDENTIALS_BYTES };

/** Milliseconds within which a body with credentials must be complete. */
const CREDENTIALS_MS = 10_000;

/** Parameters of a URL-encoded form. The routes that take forms have about six. */
const MAX_PARAMETERS = 100;

const FILES_TYPE = 'multipart/form-data';

type BodyParser = ReturnType<typeof express.raw>;

/** Reads and parses request bodies by the options of their route. */
@Injectable()
export class RequestBodyReader implements BodyReader {
  private readonly parsers = new Map<string, BodyParser>();

  constructor(
    private readonly memory: BodyMemory,
    private readonly files: FileBodies,
  ) {}

  /**
   * Sets `request.body`, and `request.uploads` on routes that accept files. A request without a body remains as it is.
   * The memory of the body is released when the handler ends, and not when the client disconnects: a disconnected
   * client does not end the work, and its memory must not be given to other bodies meanwhile.
   *
   * @throws {DomainError} if the body is too large, late, of another type or malformed
   */
  async read(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (!hasBody(request) || !takesBody(context)) return;
    const options = bodyOptions(context);
    if (await isEmpty(request)) return;
    await this.readBody(request, response, options);
    releaseAtEnd(request);
  }

  private async readBody(request: Request, response: Response, options: BodyOptions): Promise<void> {
    // Parsers wait for the end of a request whose sender has disconnected, or skip its body.
    if (!request.socket.readable) throw new IncompleteBodyError();
    if (options.acceptsFiles && request.is(FILES_TYPE)) {
      requireUncompressed(request);
      await this.files.readForm(request, response);
      return;
    }
    const form = options.acceptsForms === true && isForm(request);
    if (!form) requireJson(request, options);
    requireUtf8(request);
    // A URL-encoded form is flat, and only its known parameters are read.
    const scanner = form ? undefined : new JsonScanner(structureLimits(options));
    const size = await this.readWhole(request, response, options, scanner);
    if (!scanner) return;
    const bytes = request.body as Buffer;
    // The bytes may be large and must not remain while the handler works.
    request.body = undefined;
    // An empty body is not `{}`, which would clear a row.
    if (bytes.length === 0) return;
    if (scanner.bytes === 0) scanner.add(bytes);
    request.body = await parseBody(bytes, scanner, options);
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = await digestJson(request.body);
    if (options.acceptsFiles) await this.files.takeFromJson(request, response, size);
  }

  /**
   * Reads the parameters of a form, or the bytes of JSON.
   *
   * @param scanner of JSON. It has scanned the bytes if they are many.
   * @returns the bytes reserved for the body
   */
  private async readWhole(
    request: Request,
    response: Response,
    options: BodyOptions,
    scanner: JsonScanner | undefined,
  ): Promise<number> {
    const limit = this.limit(options);
    // A chunked or compressed body may be as large as the limit.
    const length = Number(request.headers['content-length'] ?? limit);
    const isEncoded = request.headers['content-encoding'] !== undefined;
    if (length > limit) throw tooLarge(options, limit, length);
    const areCredentials = options.limit === 'credentials';
    const memory = this.memory.open(request, response, areCredentials);
    const parser = this.parser(scanner === undefined, limit);
    const deadline = areCredentials ? { completeMs: CREDENTIALS_MS } : { occupancy: () => memory.occupancy };
    if (length > MAX_CREDENTIALS_BYTES || isEncoded) {
      if (!areCredentials) memory.require(isEncoded ? limit : length);
      const source = new ChargedBody(request, memory, scanner);
      return this.readLarge(source, response, deadline, () =>
        parse(source as unknown as Request, response, parser, options),
      );
    }
    await readInTime(request, parse(request, response, parser, options, memory), deadline);
    return length;
  }

  /** Reads a body whose bytes are charged as they arrive. @returns their number */
  private async readLarge(
    body: ChargedBody,
    response: Response,
    deadline: BodyDeadline,
    parseSource: () => Promise<void>,
  ): Promise<number> {
    try {
      await readInTime(body.request, parseSource(), deadline);
    } catch (error) {
      body.discard();
      await discardRest(body.request, response, error);
      throw error;
    }
    body.complete();
    return body.bytes;
  }

  private limit({ limit, acceptsFiles }: BodyOptions): number {
    if (limit) return NAMED_LIMITS[limit];
    return acceptsFiles ? MAX_JSON_WITH_FILES_BYTES : MAX_BODY_BYTES;
  }

  private parser(form: boolean, limit: number): BodyParser {
    const name = `${form ? 'form' : 'bytes'}:${limit}`;
    let parser = this.parsers.get(name);
    if (!parser) {
      parser = form
        ? express.urlencoded({ limit, extended: false, parameterLimit: MAX_PARAMETERS })
        : express.raw({ limit, type: () => true });
      this.parsers.set(name, parser);
    }
    return parser;
  }
}

function releaseAtEnd(request: Request): void {
  const memory = request.bodyMemory;
  if (!memory) return;
  request.bodyMemory = undefined;
  onHandlerEnd(request, () => {
    // A client that reads the response slowly must not prolong the use of memory.
    request.body = undefined;
    memory.release();
  });
}

/** Charges the bytes of a small body as they arrive: a sender may announce them and send nothing. */
function chargeArrivingBytes(request: Request, memory: Reservation, onExhausted: (error: unknown) => void): void {
  let bytes = 0;
  request.on('data', ({ length }: Buffer) => {
    try {
      memory.resize((bytes += length));
    } catch (error) {
      onExhausted(error);
    }
  });
}

/** @param memory of a body whose bytes are not charged by its source */
async function parse(
  request: Request,
  response: Response,
  parser: BodyParser,
  options: BodyOptions,
  memory?: Reservation,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (memory) chargeArrivingBytes(request, memory, reject);
    const next = (error?: unknown) => (error ? reject(toDomainError(error, options)) : resolve());
    parser(request, response, next as NextFunction);
  });
}

/** Is a chunked body without a type empty? Some clients send `Transfer-Encoding: chunked` with every POST. */
async function isEmpty(request: Request): Promise<boolean> {
  const { headers } = request;
  if (headers['content-type'] !== undefined || headers['content-length'] !== undefined) return false;
  if (request.readableLength === 0 && !request.readableEnded) {
    const received = new Promise<void>((done) => {
      for (const event of ['readable', 'end', 'close']) request.once(event, done);
    });
    await readInTime(request, received, { completeMs: CREDENTIALS_MS });
  }
  return request.readableLength === 0;
}

export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requireJson(request: Request, { acceptsForms, acceptsFiles }: BodyOptions): void {
  if (request.is('application/json')) return;
  const accepted = ['application/json'];
  if (acceptsForms) accepted.push(URLENCODED_TYPE);
  else if (acceptsFiles) accepted.push(FILES_TYPE);
  const sent = request.headers['content-type'];
  const actual = sent
    ? `The Content-Type "${sent.slice(0, 100)}" is not accepted here.`
    : 'The Content-Type is missing.';
  throw new UnsupportedMediaTypeError(`${actual} Send ${accepted.join(' or ')}.`);
}

/** Body-parser accepts only some labels of UTF-8, and UTF-8 is its default. */
function requireUtf8({ headers }: Request): void {
  const contentType = headers['content-type']!;
  const charset = findOtherCharset(contentType);
  if (charset !== undefined)
    throw new UnsupportedMediaTypeError(`The charset "${charset.slice(0, 100)}" is not accepted. Send UTF-8.`);
  headers['content-type'] = withoutCharset(contentType);
}

/** Files are already compressed, and decompression turns a small body into a huge one. */
function requireUncompressed({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new UnsupportedMediaTypeError(
    `The Content-Encoding "${encoding.slice(0, 100)}" is not accepted for ${FILES_TYPE}. Send the form uncompressed.`,
  );
}

/** The documented properties of body-parser's errors. */
interface BodyParserError {
  type?: string;
  message?: string;
  limit?: number;
  /** Bytes that the request declared. */
  length?: number;
  /** Without a declared length: decompressed bytes until the limit was exceeded. */
  received?: number;
}

function toDomainError(error: unknown, options: BodyOptions): unknown {
  if (error instanceof DomainError) return error;
  const { type, limit, length, received, message } = error as BodyParserError;
  switch (type) {
    case 'entity.too.large':
      return tooLarge(options, limit ?? 0, length ?? received);
    case 'parameters.too.many':
      return new DomainError(
        HTTP_ERRORS.invalid_request,
        `The form exceeds the limit of ${MAX_PARAMETERS} parameters.`,
      );
    case 'encoding.unsupported':
      return new UnsupportedMediaTypeError(String(message));
    case 'request.aborted':
    case 'request.size.invalid':
      return new IncompleteBodyError();
    default:
      return error;
  }
}

function tooLarge({ acceptsFiles }: BodyOptions, limit: number, actual: number | undefined): BodyTooLargeError {
  const advice = acceptsFiles ? `Base64 in JSON grows by a third: send larger files as ${FILES_TYPE}.` : undefined;
  return new BodyTooLargeError(limit, actual, advice);
}
