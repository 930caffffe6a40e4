import { createHash } from 'node:crypto';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { DomainError, InvalidRequestError } from './domain-error.js';
import { parseEtags, matchesEtag } from './etags.js';
import { Reply } from './envelope.js';
import { ApiErrors } from './error.dto.js';

/** The versions that `If-Match` accepts: `*` is any that there is; undefined where the caller asks for none. */
export type AcceptedVersions = readonly number[] | '*' | undefined;

interface Versioned {
  version: number;
}

/** The tag that this service gives to a version, with or without what follows it. */
const VERSION = /^([1-9]\d{0,15})(?:-[\w-]+)?$/;

/** Characters of a digest: 60 bits tell apart what one record has ever looked like. */
const DIGEST_LENGTH = 10;

/** The entity tag of what shows nothing but what its version counts. */
export function etagOf({ version }: Versioned): string {
  return `"${version}"`;
}

/** Has the caller the answer with this `ETag` already? Asked early, it saves the work of making the answer. */
export function notModified({ method, headers }: Request, { ETag: etag }: Record<string, string>): boolean {
  const known = headers['if-none-match'];
  return method === 'GET' && etag !== undefined && known !== undefined && matchesEtag(known, etag);
}

/**
 * The entity tag of a record as it is sent: its version, and a digest of all that is shown with it and changes without it,
 * such as counts, names of rows and signed addresses.
 */
export function recordEtag(record: Versioned): string {
  const digest = createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, DIGEST_LENGTH);
  return `"${record.version}-${digest}"`;
}

/** A success that tells the record's `ETag`: a later request may name it in `If-Match` or `If-None-Match`. */
export function replyWithEtag<T extends Versioned>(record: T): Reply<T> {
  return new Reply(record, { headers: { ETag: recordEtag(record) } });
}

/** The route reads a `tagged` record: where `If-None-Match` names its tag, the answer is 304 without a body. */
export function ConditionalRead(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of the record as the caller has it; while that is current, the answer is 304.',
      schema: { type: 'string', example: '"7-Zk3v9QpLx0"' },
    }),
    ApiResponse({ status: 304, description: 'The record is as `If-None-Match` names it.' }),
  );
}

/**
 * The versions of the record that the caller's `If-Match` accepts (RFC 9110, section 13.1.1). What follows the version in a
 * tag is not looked at: a change is lost where another change came between, and not where a count has moved. Weak tags never
 * match, nor does a tag that is no version. @throws {InvalidRequestError}
 */
export const IfMatch = createParamDecorator(
  (_: unknown, context: ExecutionContext): AcceptedVersions =>
    acceptedVersions(context.switchToHttp().getRequest<Request>().headers['if-match']),
  [documentIfMatch],
);

export function acceptedVersions(header: string | undefined): AcceptedVersions {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseEtags(header);
  if (tags.length === 0) throw new MalformedIfMatchError();
  return tags.flatMap(({ weak, opaque }) => {
    const version = weak ? undefined : VERSION.exec(opaque)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** @throws {PreconditionFailedError} where the record has none of the accepted versions, or there is none. */
export function requireVersion(record: Versioned | undefined, accepted: AcceptedVersions): void {
  if (accepted === undefined) return;
  if (!record) throw new PreconditionFailedError('There is no record yet; If-Match asks for one. Nothing was created.');
  if (accepted === '*' || accepted.includes(record.version)) return;
  const asked = accepted.length > 0 ? `version ${accepted.slice(0, 10).join(', ')}` : 'no version of it';
  throw new PreconditionFailedError(
    `The record has version ${record.version}; If-Match accepts ${asked}. Nothing was changed; read it again.`,
  );
}

/** The record is not the one that the caller has seen. */
export class PreconditionFailedError extends DomainError {
  constructor(message: string) {
    super('precondition_failed', 'version_mismatch', message);
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
    description:
      'The `ETag` of the record as the caller has it, or its version alone in quotes; where the version is another, or ' +
      'there is no record yet, the answer is 412.',
    schema: { type: 'string', example: '"7"' },
  });
  for (const decorate of [header, ApiErrors(400, 412)]) decorate(controller, handler!, method);
}
