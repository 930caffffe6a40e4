import { hash } from 'node:crypto';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Request } from 'express';
import { DomainError, InvalidRequestError } from '../../../packages/errors/src/domain-error.js';
import { Reply } from './envelope.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** The versions that `If-Match` accepts. `*` accepts any existing version; undefined means no condition. */
export type AcceptedVersions = readonly number[] | '*' | undefined;

interface Versioned {
  version: number;
}

/** One entity tag of a list (RFC 9110, section 8.8.3), weak or strong, with its separator. */
const TAG = /[ \t,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/gy;
const SEPARATORS = /^[ \t,]*$/;

/** A tag of this service: the version, optionally followed by a digest. */
const VERSION = /^([1-9]\d{0,15})(?:-[\w-]+)?$/;

/** The suffix that compressed representations have (compression.ts). */
const CODING = /-(?:br|gzip|deflate)$/;

/** Characters of a digest. 60 bits distinguish all representations of one version. */
const DIGEST_LENGTH = 10;

/**
 * The entity tag of a representation that changes only with its version.
 *
 * @param variant identifies one of several representations of the version.
 */
export function versionEtag(version: number, variant?: string): string {
  return variant === undefined ? `"${version}"` : `"${version}-${digest(variant)}"`;
}

/**
 * The entity tag of a record as it is sent: its version, and a digest of the whole representation. The digest covers
 * data that changes without the version, such as counts, row names and signed URLs.
 */
export function recordEtag(record: Versioned): string {
  return `"${record.version}-${digest(JSON.stringify(record))}"`;
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

/** A success with the record's `ETag`, which later requests may send in `If-Match` or `If-None-Match`. */
export function replyWithEtag<T extends Versioned>(record: T): Reply<T> {
  return new Reply(record, { headers: { ETag: recordEtag(record) } });
}

/**
 * Decides on 304: does `If-None-Match` contain the current ETag (RFC 9110, section 13.1.2)? The reply applies it to
 * every read; an expensive read may call it first. Weak and strong tags are equal, as are the tags of compressed
 * representations. `Cache-Control: no-cache` is ignored, because fetch() adds it to every conditional request and
 * Express would never answer 304.
 */
export function isNotModified({ method, headers }: Request, etag: string | undefined): boolean {
  const header = headers['if-none-match'];
  if (header === undefined || etag === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  if (header.trim() === '*') return true;
  const current = parseEtags(etag)[0];
  // The digest of an uncompressed representation may end as a coding.
  return parseEtags(header).some((opaque) => opaque === current || opaque.replace(CODING, '') === current);
}

/** The texts between the quotes of a header such as `If-Match`; empty if it is not a list of tags. */
function parseEtags(header: string): string[] {
  const tags = [...header.matchAll(TAG)];
  const rest = header.slice(tags.reduce((length, [tag]) => length + tag.length, 0));
  return SEPARATORS.test(rest) ? tags.map(([, opaque]) => opaque!) : [];
}

export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  required: false,
  description: 'The `ETag` that the caller has. If it is current, the response is 304.',
  schema: { type: 'string', example: '"7-Zk3v9QpLx0"' },
} as const;

/** Documents the 304 of a route that replies with an `ETag`. */
export function ConditionalRead(): MethodDecorator {
  return applyDecorators(
    ApiHeader(IF_NONE_MATCH),
    ApiResponse({ status: 304, description: 'The record still has the `ETag` in `If-None-Match`.' }),
  );
}

/**
 * The versions that the caller's `If-Match` accepts (RFC 9110, section 13.1.1). The digest of a tag is ignored: only a
 * concurrent change of the record must fail the request, not a changed count. A proxy that compresses makes tags weak
 * (nginx with gzip), so a weak tag counts as the version that it contains. Tags that are not a version never match.
 *
 * @throws {InvalidRequestError} if the header is not a list of entity tags
 */
export const IfMatch = createParamDecorator(
  (_: unknown, context: ExecutionContext): AcceptedVersions =>
    parseIfMatch(context.switchToHttp().getRequest<Request>().headers['if-match']),
  [documentIfMatch],
);

export function parseIfMatch(header: string | undefined): AcceptedVersions {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseEtags(header);
  if (tags.length === 0) throw new MalformedIfMatchError();
  return tags.flatMap((opaque) => {
    const version = VERSION.exec(opaque)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** @throws {PreconditionFailedError} if there is no record, or its version is not accepted */
export function requireVersion(record: Versioned | undefined, accepted: AcceptedVersions): void {
  if (accepted === undefined) return;
  if (!record)
    throw new PreconditionFailedError('If-Match requires an existing record, but there is none. Nothing was created.');
  if (accepted === '*' || accepted.includes(record.version)) return;
  const expected = accepted.length > 0 ? `version ${accepted.slice(0, 10).join(', ')}` : 'no valid version';
  throw new PreconditionFailedError(
    `The record has version ${record.version}, but If-Match contains ${expected}. Nothing was changed; read the record again.`,
  );
}

/** The record has changed since the caller read it. */
export class PreconditionFailedError extends DomainError {
  constructor(message: string) {
    super(HTTP_ERRORS.version_mismatch, message);
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
      'The `ETag` that the caller has, or the version in quotes. The response is 412 if the record has another version, ' +
      'or does not exist.',
    schema: { type: 'string', example: '"7"' },
  });
  header(controller, handler!, method);
}
