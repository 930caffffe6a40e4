import type { Request } from 'express';
import { DomainError } from './domain-error.js';

/** Parameters of media types but for their weight: none of what is sent depends on one, such as the charset. */
const PARAMETERS = /;(?!\s*q\s*=)[^;,]*/gi;

/**
 * The one of the types that the caller wants most; the first where there is no `Accept`, and where all are wanted alike.
 *
 * @throws {DomainError} `not_acceptable`
 */
export function acceptedType<T extends string>(request: Request, types: readonly [T, ...T[]]): T {
  const { accept } = request.headers;
  const ranges = { headers: { accept: accept?.replace(PARAMETERS, '') } } as Request;
  const type = request.accepts.call(ranges, ...types) as T | false;
  if (type !== false) return type;
  const message = `This is sent as ${types.join(', ')}; Accept takes none of them.`;
  throw new DomainError('not_acceptable', 'not_acceptable', message);
}
