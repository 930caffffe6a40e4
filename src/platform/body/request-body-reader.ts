import { parse as parseParameters } from 'node:querystring';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError, UnsupportedMediaTypeError } from '../../../packages/errors/src/domain-error.js';
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
import { BodyMemory } from './body-memory.js';
import { findOtherCharset, isUtf8Charset, requireCharset } from './charset.js';
import { discardRest, readInTime } from './body-timeouts.js';
import { FormFiles } from './form-files.js';
import { parseBody, structureLimits } from './json-body.js';
import { JsonFiles } from './json-files.js';
import { JsonScanner } from '../../../packages/json/src/json-scanner.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { settleByEvents } from '../listeners.js';

const NAMED_LIMITS: Record<BodyLimitName, number> = { bulk: MAX_BULK_BYTES, credentials: MAX_CREDENTIALS_BYTES };

/** Milliseconds within which a body with credentials must be complete. */
const CREDENTIALS_MS = 10_000;

/** Parameters of a URL-encoded form. The routes that take forms have about six. */
const MAX_PARAMETERS = 100;

const FILES_TYPE = 'multipart/form-data';

/**
 * Reads and parses request bodies by the options of their route. A guard that needs the body before the others injects
 * it, and declares `@ReadsOwnBody()`.
 */
@Injectable()
export class RequestBodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly forms: FormFiles,
    private readonly jsonFiles: JsonFiles,
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
    if (request.destroyed) throw new IncompleteBodyError();
    const options = bodyOptions(context);
    if (await isEmpty(request)) return;
    await this.readBody(request, response, options);
    releaseAtEnd(request);
  }

  private async readBody(request: Request, response: Response, options: BodyOptions): Promise<void> {
    // Parsers wait for the end of a request whose sender has disconnected, or skip its body.
    if (!request.socket.readable) throw new IncompleteBodyError();
    const isFiles = options.acceptsFiles && request.is(FILES_TYPE);
    const isParameters = options.acceptsForms && isForm(request);
    if (!isFiles && !isParameters) requireType(request, options);
    requireUncompressed(request);
    if (isFiles) await this.forms.read(request, response);
    else if (isParameters) await this.readParameters(request, response, options);
    else if (options.acceptsText) await this.readText(request, response, options);
    else await this.readJson(request, response, options);
  }

  /** A URL-encoded form is flat, and only its known parameters are read. */
  private async readParameters(request: Request, response: Response, options: BodyOptions): Promise<void> {
    const charset = findOtherCharset(request.headers['content-type']!);
    if (charset !== undefined)
      throw new UnsupportedMediaTypeError(`The charset "${charset.slice(0, 100)}" is not accepted. Send UTF-8.`);
    const bytes = await this.receive(request, response, options, () => undefined);
    const parameters = parseParameters(bytes.toString(), undefined, undefined, { maxKeys: MAX_PARAMETERS + 1 });
    if (Object.values(parameters).flat().length > MAX_PARAMETERS) {
      const message = `The form exceeds the limit of ${MAX_PARAMETERS} parameters.`;
      throw new DomainError(HTTP_ERRORS.invalid_request, message);
    }
    // The parser creates an object without a prototype, which class-transformer does not support.
    request.body = { ...parameters };
  }

  private async readText(request: Request, response: Response, options: BodyOptions): Promise<void> {
    const charset = requireCharset(request.headers['content-type']);
    const text = charset.decode(await this.receive(request, response, options, () => undefined));
    if (text === undefined)
      throw new DomainError(HTTP_ERRORS.invalid_request, `The body is not text in ${charset.name}. Send UTF-8.`);
    request.body = text;
  }

  private async readJson(request: Request, response: Response, options: BodyOptions): Promise<void> {
    const charset = requireCharset(request.headers['content-type']);
    const scanner = new JsonScanner(structureLimits(options));
    const bytes = await this.receive(request, response, options, (chunk) => {
      if (isUtf8Charset(charset)) scanner.add(chunk);
    });
    // An empty body is not `{}`, which would clear a row.
    if (bytes.length === 0) return;
    request.body = await parseBody(bytes, charset, scanner, options);
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = await digestJson(request.body);
    if (options.acceptsFiles) await this.jsonFiles.take(request, response, bytes.length);
  }

  /**
   * Receives a body into the memory. Its bytes are charged as they arrive: a sender may announce them and send nothing.
   *
   * @param onChunk called for each chunk. It throws to reject the body before its end.
   */
  private async receive(
    request: Request,
    response: Response,
    options: BodyOptions,
    onChunk: (chunk: Buffer) => void,
  ): Promise<Buffer> {
    const limit = this.limit(options);
    // A chunked body may be as large as the limit.
    const length = Number(request.headers['content-length'] ?? limit);
    if (length > limit) throw tooLarge(options, limit, length);
    const areCredentials = options.limit === 'credentials';
    const memory = this.memory.open(request, response, areCredentials);
    if (length > MAX_CREDENTIALS_BYTES) memory.require(length);
    const deadline = areCredentials ? { completeMs: CREDENTIALS_MS } : { occupancy: () => memory.occupancy };
    const addChunk = (chunk: Buffer, bytes: number) => {
      if (bytes > limit) throw tooLarge(options, limit, bytes);
      memory.resize(bytes);
      onChunk(chunk);
    };
    const stopping = new AbortController();
    try {
      return await readInTime(request, receiveBytes(request, addChunk, stopping.signal), deadline);
    } catch (error) {
      memory.release();
      request.resume();
      await discardRest(request, response, error);
      throw error;
    } finally {
      stopping.abort();
    }
  }

  private limit({ limit, acceptsFiles }: BodyOptions): number {
    if (limit) return NAMED_LIMITS[limit];
    return acceptsFiles ? MAX_JSON_WITH_FILES_BYTES : MAX_BODY_BYTES;
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

/**
 * The bytes of a body.
 *
 * @param onChunk called with each chunk and the bytes so far. It throws to reject the body.
 * @param stopping ends it, and removes the bytes from the memory.
 * @throws {IncompleteBodyError} if the sender disconnects
 */
function receiveBytes(
  request: Request,
  onChunk: (chunk: Buffer, bytes: number) => void,
  stopping: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return settleByEvents((on, resolve, reject) => {
    const cut = () => reject(new IncompleteBodyError());
    on(request, 'data', (chunk: Buffer) => {
      bytes += chunk.length;
      onChunk(chunk, bytes);
      chunks.push(chunk);
    });
    on(request, 'end', () => resolve(Buffer.concat(chunks, bytes)));
    for (const event of ['close', 'error']) on(request, event, cut);
    on(stopping, 'abort', cut);
  });
}

/** Is a chunked body without a type empty? Some clients send `Transfer-Encoding: chunked` with every POST. */
async function isEmpty(request: Request): Promise<boolean> {
  const { headers } = request;
  if (headers['content-type'] !== undefined || headers['content-length'] !== undefined) return false;
  if (request.readableLength === 0 && !request.readableEnded) {
    const received = settleByEvents<undefined>((on, resolve) => {
      for (const event of ['readable', 'end', 'close']) on(request, event, () => resolve(undefined));
    });
    await readInTime(request, received, { completeMs: CREDENTIALS_MS });
  }
  return request.readableLength === 0;
}

export function hasBody({ headers }: Pick<Request, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function requireType(request: Request, { acceptsForms, acceptsFiles, acceptsText, jsonType }: BodyOptions): void {
  const accepted = [acceptsText ? 'text/plain' : 'application/json'];
  if (jsonType !== undefined) accepted.push(jsonType);
  if (request.is(accepted)) return;
  if (acceptsForms) accepted.push(URLENCODED_TYPE);
  else if (acceptsFiles) accepted.push(FILES_TYPE);
  const sent = request.headers['content-type'];
  const actual = sent
    ? `The Content-Type "${sent.slice(0, 100)}" is not accepted here.`
    : 'The Content-Type is missing.';
  throw new UnsupportedMediaTypeError(`${actual} Send ${accepted.join(' or ')}.`);
}

/** Decompression turns a small body into a huge one, and only imports need it; they read their files themselves. */
function requireUncompressed({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new UnsupportedMediaTypeError(
    `The Content-Encoding "${encoding.slice(0, 100)}" is not accepted here. Send the body uncompressed.`,
  );
}

function tooLarge({ acceptsFiles, largeAdvice }: BodyOptions, limit: number, actual: number): BodyTooLargeError {
  const advice = acceptsFiles ? `Base64 in JSON grows by a third: send larger files as ${FILES_TYPE}.` : largeAdvice;
  return new BodyTooLargeError(limit, actual, advice);
}
