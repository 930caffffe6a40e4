import { applyDecorators, StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import contentDisposition from 'content-disposition';
import type { Request } from 'express';
import parseRange from 'range-parser';
import type { Readable } from 'node:stream';
import { DomainError } from './domain-error.js';
import { isNotModified } from './conditional-requests.js';
import { Reply } from './envelope.js';
import { ApiErrors } from './error.dto.js';

/** A file that can be read from any place. */
export interface ServedFile {
  /** What its bytes are known by: equal bytes, equal tag. */
  tag: string;
  size: number;
  contentType: string;
  filename: string;
  open(range?: { start: number; end: number }): Promise<Readable>;
}

/** The range asked for is not within the file. */
class RangeNotSatisfiableError extends DomainError {
  constructor(size: number) {
    const message = `The range is not within the file, which has ${size} bytes.`;
    super('range_not_satisfiable', 'range_not_satisfiable', message, {
      details: { limit: size },
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
}

const BYTES = {
  'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } },
};

/** The route sends a file; see fileReply(). */
export function ApiFile(): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'Range', required: false, schema: { type: 'string', example: 'bytes=0-1023' } }),
    ApiHeader({ name: 'If-None-Match', required: false, schema: { type: 'string' } }),
    ApiResponse({ status: 200, description: 'The file.', content: BYTES }),
    ApiResponse({ status: 206, description: 'The range of it that was asked for.', content: BYTES }),
    ApiResponse({ status: 304, description: 'The caller has it already.' }),
    ApiErrors(400, 404, 416, 429, 503),
  );
}

/**
 * Sends a file, or the one range of it that was asked for (RFC 9110, section 14). Whatever the file says of itself, no
 * browser shows it as a page of ours: it is a download, its type is not guessed at, and it may run nothing.
 *
 * Several ranges at once are answered with the whole file, as the RFC allows: nobody needs a thousand of them.
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
    'Content-Disposition': contentDisposition(file.filename),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    // Pages of other origins may show what they were given the address of.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (isNotModified(request, etag)) return new Reply(null, { status: 304, headers, bare: true });
  const range = rangeOf(request, file.size, etag);
  const length = range ? range.end - range.start + 1 : file.size;
  const stream = await file.open(range);
  if (range) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${file.size}`;
  return new Reply(new StreamableFile(stream, { type: file.contentType, length }), {
    status: range ? 206 : 200,
    headers,
    bare: true,
  });
}

function rangeOf(request: Request, size: number, etag: string): { start: number; end: number } | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  // Parts of another version would not fit together.
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const ranges = parseRange(size, withinSize(range, size), { combine: true });
  if (ranges === -1) throw new RangeNotSatisfiableError(size);
  return ranges !== -2 && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
}

/** The last bytes, where more are asked for than there are, are all of them; the parser would refuse that. */
function withinSize(range: string, size: number): string {
  return range.replace(/^(bytes=)-(\d+)$/, (all, unit: string, last: string) =>
    Number(last) > size ? `${unit}0-` : all,
  );
}
