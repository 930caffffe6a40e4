import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { DomainError, UnsupportedMediaTypeError } from '../http/domain-error.js';
import type { BodyOptions } from './body.decorators.js';
import {
  checkContainers,
  checkStructure,
  duplicateKeys,
  withExactNumbers,
  type WrittenStructure,
} from './json-structure.js';

declare module 'http' {
  interface IncomingMessage {
    /** The JSON body as it was written, while it is checked. */
    written?: { bytes: Buffer; structure: WrittenStructure };
    /** What the body says, hashed: for Idempotency-Key. */
    bodyDigest?: string;
  }
}

/** What is looked at before the body is parsed. Invalid UTF-8 would silently turn into replacement characters. */
export function checkBytes(request: IncomingMessage, _response: unknown, bytes: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new UnsupportedMediaTypeError(`JSON is taken in UTF-8, not in ${charset}.`);
  if (!isUtf8(bytes)) throw new DomainError('malformed', 'malformed_json', 'The body is not valid UTF-8.');
  request.written = { bytes, structure: checkContainers(bytes) };
  if (request.headers['idempotency-key'] !== undefined) {
    request.bodyDigest = createHash('sha256').update(bytes).digest('hex');
  }
}

/**
 * What is looked at of a JSON body once it is parsed.
 *
 * @param exactly numbers that would lose digits as doubles become the texts that they are written as.
 * @param shape what the body is to look like, for callers who send something else.
 */
export function checkParsed(request: Request, { exactNumbers, shape }: BodyOptions): void {
  const keys = checkStructure(request.body);
  requireObject(request.body, shape);
  const { written } = request;
  // Not kept while the handler works: it may be large.
  request.written = undefined;
  if (!written) return;
  if (written.structure.keys !== keys) throw duplicateKeys(written.bytes);
  if (!exactNumbers || !written.structure.hasLongNumbers) return;
  const exact = withExactNumbers(written.bytes);
  if (exact !== undefined) request.body = JSON.parse(exact) as unknown;
}

/** Lists and bare values are JSON, and no body of any route. */
function requireObject(body: unknown, shape = 'a JSON object'): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  const [code, sent] = Array.isArray(body)
    ? ['invalid_request', 'a list']
    : ['malformed_json', body === null ? 'null' : `a ${typeof body}`];
  throw new DomainError('malformed', code, `The body must be ${shape}; this is ${sent}.`);
}
