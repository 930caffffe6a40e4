import { PassThrough } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { LocalFile } from '../storage/file-storage.js';
import { BodyTooLargeError, IncompleteBodyError } from './body.errors.js';
import { closeAfterUnreadBody, discardRest, readInTime } from './body-timeouts.js';
import { TemporaryFiles } from './temporary-files.js';
import { ignoreErrors, listenOnce } from '../listeners.js';

/** Writes bodies that are one large file to temporary files. */
@Injectable()
export class BodyReceiver {
  constructor(private readonly files: TemporaryFiles) {}

  /**
   * Writes a body of any length to a temporary file. No budget applies: the caller limits the number of concurrent
   * calls.
   *
   * @param maxBytes limit of the body.
   * @param onProgress called with the bytes so far.
   * @param signal aborts with its own reason.
   * @param occupancy of what the callers of the instance share, from 0 to 1: the fuller, the faster must be the sender.
   * @throws {DomainError} also if the sender disconnects; then the file is removed
   */
  async receive(
    request: Request,
    response: Response,
    maxBytes: number,
    onProgress: (bytes: number) => void,
    signal: AbortSignal,
    occupancy?: () => number,
  ): Promise<LocalFile> {
    const declared = request.headers['content-length'];
    if (Number(declared ?? 0) > maxBytes) throw new BodyTooLargeError(maxBytes, Number(declared));
    const quota = this.files.openUnlimited();
    quota.retainUntilEnd(request, response);
    const write = (stream: PassThrough) =>
      quota.write(stream, (bytes) => {
        if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes);
        onProgress(bytes);
      });
    return readStream(request, response, write, { occupancy, signal });
  }
}

interface StreamOptions {
  /** Of what the body uses, from 0 to 1: the fuller, the faster must be the sender. */
  occupancy?: () => number;
  /** Aborts with its own reason. */
  signal?: AbortSignal;
  /** Releases what the body uses as soon as reading has failed. */
  release?: () => void;
}

/**
 * Reads a body as a stream, within the time that its sender has. If reading fails, the rest of the body is discarded.
 *
 * @throws {DomainError} also if the sender disconnects
 */
export async function readStream<Result>(
  request: Request,
  response: Response,
  read: (stream: PassThrough) => Promise<Result>,
  { occupancy, signal, release }: StreamOptions,
): Promise<Result> {
  const stream = pipeRequest(request);
  try {
    const reading = read(stream);
    return await readInTime(request, signal ? Promise.race([reading, rejectOnAbort(signal)]) : reading, { occupancy });
  } catch (error) {
    request.unpipe(stream);
    stream.destroy();
    request.resume();
    release?.();
    if (signal?.aborted) closeAfterUnreadBody(request, response);
    else await discardRest(request, response, error);
    throw error;
  }
}

/** The body as a stream that fails if the sender disconnects before the end, or has already disconnected. */
export function pipeRequest(request: Request): PassThrough {
  const stream = new PassThrough();
  // The sender may disconnect before anything reads the stream. A reader receives the error later, too.
  ignoreErrors(stream);
  const onCut = () => {
    if (!request.readableEnded) stream.destroy(new IncompleteBodyError());
  };
  // A destroyed request has no further events, and a pipe from it never ends.
  if (request.destroyed) onCut();
  for (const event of ['close', 'error']) listenOnce(request, event, onCut);
  return request.pipe(stream);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else listenOnce(signal, 'abort', onAbort);
  });
}
