import type { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { Reply } from './envelope.js';
import { watchRate } from './rate-watch.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { onResponseEnd } from './handler-hooks.js';

/** Parameters of media types except their weight. No response depends on one, such as the charset. */
const PARAMETERS = /;(?!\s*q\s*=)[^;,]*/gi;

/** Exports by the media type that requests them. */
export const EXPORT_FORMATS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
export const EXPORT_TYPES = Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[];
export type ExportFormat = (typeof EXPORT_FORMATS)[keyof typeof EXPORT_FORMATS];

/**
 * The type that the caller prefers: the first one without `Accept`, or if the caller accepts all equally.
 *
 * @throws {DomainError} `not_acceptable`
 */
export function acceptedType<T extends string>(request: Request, types: readonly [T, ...T[]]): T {
  const { accept } = request.headers;
  const ranges = { headers: { accept: accept?.replace(PARAMETERS, '') } } as Request;
  const type = request.accepts.call(ranges, ...types) as T | false;
  if (type !== false) return type;
  const message = `Accept contains none of the available media types: ${types.join(', ')}.`;
  throw new DomainError(HTTP_ERRORS.not_acceptable, message);
}

/**
 * Sends a stream of unknown length. It ends if the client disconnects, reads nothing for a minute, or reads slower than
 * the minimum rate. If the stream fails, the connection is cut, so that the client does not take a part for the whole.
 *
 * @param occupancy the used share of what streams occupy, from 0 to 1: the fuller, the faster must be the reader.
 */
export function streamReply(
  response: Response,
  stream: Readable,
  contentType: string,
  headers: Record<string, string>,
  occupancy?: () => number,
): Reply<StreamableFile> {
  const cut = () => {
    stream.destroy();
    response.destroy();
  };
  onResponseEnd(response, () => stream.destroy());
  if (occupancy) watchReader(response, occupancy, cut);
  const file = new StreamableFile(stream, { type: contentType }).setErrorHandler(cut);
  return new Reply(file, { headers, raw: true });
}

/** Calls back if the client reads slower than the minimum rate. */
export function watchReader(response: Response, occupancy: () => number, onSlow: () => void): void {
  const bytes = () => response.socket?.bytesWritten ?? 0;
  const waitsForPeer = () => response.writableNeedDrain;
  onResponseEnd(response, watchRate({ occupancy, bytes, waitsForPeer, onSlow }));
}

export function describeStreams(examples: Record<string, string>) {
  const described = Object.entries(examples).map(([type, example]) => [type, { schema: { type: 'string' }, example }]);
  return Object.fromEntries(described) as Record<string, object>;
}
