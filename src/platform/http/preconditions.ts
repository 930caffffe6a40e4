import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { DomainError, InvalidRequestError } from './domain-error.js';
import { entityTags, namesTag } from './entity-tags.js';
import { Reply } from './envelope.js';
import { ApiFailures } from './error.dto.js';

/** The versions that `If-Match` accepts; undefined where any will do. */
export type AcceptedVersions = readonly number[] | undefined;

interface Versioned {
  version: number;
}

/** The tag that this service gives to a version. */
const VERSION = /^[1-9]\d{0,15}$/;

/** The entity tag of a record as it stands: its version. */
export function etagOf({ version }: Versioned): string {
  return `"${version}"`;
}

/** Has the caller the answer with this `ETag` already? Asked early, it saves the work of making the answer. */
export function notModified({ method, headers }: Request, { ETag: etag }: Record<string, string>): boolean {
  const known = headers['if-none-match'];
  return method === 'GET' && etag !== undefined && known !== undefined && namesTag(known, etag);
}

/** A success that tells the record's version as `ETag`: a later request may name it in `If-Match` or `If-None-Match`. */
export function tagged<T extends Versioned>(record: T): Reply<T> {
  return new Reply(record, { headers: { ETag: etagOf(record) } });
}

/** The route reads a `tagged` record: where `If-None-Match` names its version, the answer is 304 without a body. */
export function Revalidated(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of the record as the caller has it; while that is current, the answer is 304.',
      schema: { type: 'string', example: '"7"' },
    }),
    ApiResponse({ status: 304, description: 'The record is as `If-None-Match` names it.' }),
  );
}

/**
 * The versions of the record that the caller's `If-Match` accepts (RFC 9110, section 13.1.1); undefined without the header
 * and with `*`. Weak tags never match, nor does a tag that is no version. @throws {InvalidRequestError}
 */
export const IfMatch = createParamDecorator(
  (_: unknown, context: ExecutionContext): AcceptedVersions =>
    acceptedVersions(context.switchToHttp().getRequest<Request>().headers['if-match']),
  [documentIfMatch],
);

export function acceptedVersions(header: string | undefined): AcceptedVersions {
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = entityTags(header);
  if (tags.length === 0) throw new MalformedIfMatchError();
  return tags.filter(({ weak, opaque }) => !weak && VERSION.test(opaque)).map(({ opaque }) => Number(opaque));
}

/** @throws {PreconditionFailedError} where the record has none of the accepted versions. */
export function requireVersion({ version }: Versioned, accepted: AcceptedVersions): void {
  if (accepted && !accepted.includes(version)) throw new PreconditionFailedError(version, accepted);
}

/** The record is not the one that the caller has seen. */
export class PreconditionFailedError extends DomainError {
  constructor(current: number, accepted: readonly number[]) {
    const asked = accepted.length > 0 ? `version ${accepted.slice(0, 10).join(', ')}` : 'no version of it';
    super(
      'precondition_failed',
      'version_mismatch',
      `The record has version ${current}; If-Match accepts ${asked}. Nothing was changed; read it again.`,
    );
  }
}

class MalformedIfMatchError extends InvalidRequestError {
  constructor() {
    const message = 'If-Match must be * or a list of entity tags in quotes, such as "7".';
    super([{ field: 'If-Match', code: 'invalid_header', message }], message);
  }
}

function documentIfMatch(controller: object, handler: string | symbol | undefined): void {
  const method = Object.getOwnPropertyDescriptor(controller, handler!)!;
  const header = ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'The `ETag` of the record as the caller has it; where it has changed since, the answer is 412.',
    schema: { type: 'string', example: '"7"' },
  });
  for (const decorate of [header, ApiFailures(400, 412)]) decorate(controller, handler!, method);
}
