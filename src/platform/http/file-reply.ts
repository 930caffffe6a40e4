import { applyDecorators, Logger, StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import contentDisposition from 'content-disposition';
import type { Request } from 'express';
import parseRange from 'range-parser';
import { pipeline, Transform, type Readable } from 'node:stream';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { watchReader } from './stream-reply.js';
import { onResponseEnd } from './handler-hooks.js';
import { IF_NONE_MATCH, isNotModified } from './conditional-requests.js';
import { Reply } from './envelope.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { toNfkd } from '../../../packages/tabular/src/normalization.js';

/** A file to send. */
export interface ServedFile {
  /** Identifies the content: equal bytes have equal tags. */
  tag: string;
  size: number;
  contentType: string;
  filename: string;
  /** The used share of what files occupy, from 0 to 1: the fuller, the faster must be the reader. */
  occupancy: () => number;
  open(range?: { start: number; end: number }): Promise<Readable>;
}

class RangeNotSatisfiableError extends DomainError {
  constructor(size: number) {
    const message = `The requested range is outside the file, which has ${size} bytes.`;
    super(HTTP_ERRORS.range_not_satisfiable, message, {
      details: { limit: size },
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
}

const logger = new Logger('FileReply');

/** The type of a file is detected when it is uploaded. */
const BYTES = {
  '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
};

/** Documents a route that sends a file; see fileReply(). */
export function ApiFile(): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'Range', required: false, schema: { type: 'string', example: 'bytes=0-1023' } }),
    ApiHeader(IF_NONE_MATCH),
    ApiResponse({ status: 200, description: 'The file.', content: BYTES }),
    ApiResponse({ status: 206, description: 'The requested range of the file.', content: BYTES }),
    ApiResponse({ status: 304, description: 'The caller has the current file.' }),
  );
}

/**
 * Sends a file or the requested range of it (RFC 9110, section 14). Browsers never display it as a page of this origin:
 * it is a download, its type is not sniffed, and it cannot execute scripts. A request for several ranges receives the
 * whole file, as the RFC allows.
 *
 * @throws {RangeNotSatisfiableError}
 */
export async function fileReply(
  request: Request,
  file: ServedFile,
  cacheControl: string,
): Promise<Reply<StreamableFile | null>> {
  const etag = `"${file.tag}"`;
  const headers: Record<string, string> = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': cacheControl,
    'Content-Disposition': contentDisposition(file.filename, { fallback: toAscii(file.filename) }),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    // Pages of other origins may display files whose URL they received.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (isNotModified(request, etag)) return new Reply(null, { status: 304, headers, raw: true });
  const range = parseRequestedRange(request, file.size, etag);
  const length = range ? range.end - range.start + 1 : file.size;
  const response = request.res!;
  const stream = requireLength(await file.open(range), length);
  onResponseEnd(response, () => stream.destroy());
  watchReader(response, file.occupancy, () => response.destroy());
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  const body = new StreamableFile(stream, { type: file.contentType, length });
  // An error response would have the type of the file.
  body.setErrorHandler((error, response) => {
    logger.error(`The download of ${file.tag} failed: ${error.message}`);
    response.destroy?.();
  });
  return new Reply(body, {
    status: range ? 206 : 200,
    headers,
    raw: true,
  });
}

/** The `filename` next to `filename*`: several programs do not read Latin-1, in which it would be sent. */
function toAscii(name: string): string {
  return toNfkd(name)
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '_');
}

/**
 * Fails at the end of a stream with another length: otherwise the caller would wait for the bytes that Content-Length
 * announced.
 */
function requireLength(source: Readable, length: number): Readable {
  let received = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      done(received > length ? new Error(`The stored file has more than ${length} bytes`) : null, chunk);
    },
    flush(done) {
      done(received < length ? new Error(`The stored file has ${received} bytes instead of ${length}`) : null);
    },
  });
  // The listener of the returned stream handles the error.
  pipeline(source, checked, () => undefined);
  return checked;
}

function parseRequestedRange(request: Request, size: number, etag: string): { start: number; end: number } | undefined {
  // RFC 9110 defines ranges for GET.
  if (request.method !== 'GET') return undefined;
  const { range, 'if-range': ifRange } = request.headers;
  // Ranges of different versions must not be combined.
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const ranges = parseRange(size, limitToSize(range, size), { combine: true });
  if (ranges === -1) throw new RangeNotSatisfiableError(size);
  return ranges !== -2 && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
}

/** A suffix longer than the file means the whole file; the parser would reject it. */
function limitToSize(range: string, size: number): string {
  return range.replace(/^(bytes=)-(\d+)$/, (all, unit: string, last: string) =>
    Number(last) > size ? `${unit}0-` : all,
  );
}
