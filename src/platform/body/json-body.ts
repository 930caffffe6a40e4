import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { DomainError } from '../http/domain-error.js';
import { digestJson } from './body-digest.js';
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
    /** The JSON body before parsing, until it is validated. */
    written?: { bytes: Buffer; structure: WrittenStructure };
    /** Hash of the body, if the request has an Idempotency-Key. */
    bodyDigest?: string;
  }
}

/** Validates the bytes before they are parsed. Invalid UTF-8 would silently become replacement characters. */
export function checkBytes(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new DomainError('malformed', 'malformed_json', 'The body is not valid UTF-8.');
  request.written = { bytes, structure: checkContainers(bytes) };
}

/** Validates the parsed body; replaces rounded numbers by their text if the route takes exact numbers. */
export function checkParsed(request: Request, { exactNumbers, shape }: BodyOptions): void {
  const keys = checkStructure(request.body);
  requireObject(request.body, shape);
  const { written } = request;
  // The bytes may be large and must not remain while the handler works.
  request.written = undefined;
  if (!written) return;
  if (written.structure.keys !== keys) throw duplicateKeys(written.bytes);
  if (exactNumbers && written.structure.hasRoundedNumbers) {
    const exact = withExactNumbers(written.bytes);
    if (exact !== undefined) request.body = JSON.parse(exact) as unknown;
  }
  if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = digestJson(request.body);
}

/** Lists and single values are JSON, but no route accepts them as its body. */
function requireObject(body: unknown, shape = 'a JSON object'): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return;
  const [code, actual] = Array.isArray(body)
    ? (['invalid_request', 'a list'] as const)
    : (['malformed_json', body === null ? 'null' : `a ${typeof body}`] as const);
  throw new DomainError('malformed', code, `The body must be ${shape}, not ${actual}.`);
}
