import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../http/domain-error.js';
import { onHandlerEnd } from '../http/handler-hooks.js';
import type { LocalFile } from '../storage/file-storage.js';
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from './body-limits.js';
import { BodyTooLargeError, FormTooLargeError, IncompleteBodyError } from './body.errors.js';
import { digestForm } from './body-digest.js';
import { BodyMemory, onResponseEnd } from './body-memory.js';
import { closeAfterUnreadBody, readInTime } from './body-timeouts.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { type TemporaryFileQuota, TemporaryFiles } from './temporary-files.js';

/** Milliseconds that the sender of a rejected body may continue: many read the response only after sending everything. */
const REST_MS = 5_000;

/** Reads bodies with files: the files become `request.uploads`, the rest `request.body`. */
@Injectable()
export class FileBodies {
  constructor(
    private readonly form: FormFiles,
    private readonly json: JsonFiles,
    private readonly files: TemporaryFiles,
    private readonly memory: BodyMemory,
  ) {}

  /** Reads a form. @throws {DomainError} if it is invalid, too large or cannot be stored now */
  async readForm(request: Request, response: Response): Promise<void> {
    const length = Number(request.headers['content-length'] ?? MAX_FORM_BYTES);
    if (length > MAX_FORM_BYTES)
      throw new FormTooLargeError('All files and fields together exceed', MAX_FORM_BYTES, length);
    const memory = this.memory.open(request, response);
    memory.require(Math.min(length, MAX_BODY_BYTES));
    const { quota, release } = this.useFiles(
      request,
      response,
      this.files.open(request, Math.min(length, MAX_FORM_BYTES)),
    );
    try {
      const { body, uploads } = await this.form.read(request, response, quota, memory);
      Object.assign(request, { body, uploads });
    } catch (error) {
      // Now, not with the response: other bodies fail while this one uses bytes.
      release();
      memory.release();
      await discardRest(request, response, error);
      throw error;
    }
    if (request.headers['idempotency-key'] !== undefined) {
      request.bodyDigest = await digestForm(request.body as object, request.uploads!);
    }
  }

  /** Moves the files of a parsed JSON body to temporary files. @param bytes of the whole body. */
  async takeFromJson(request: Request, response: Response, bytes: number): Promise<void> {
    const { files, ...body } = request.body as { files?: unknown };
    if (files === undefined) return;
    const objects = this.json.validate(files);
    request.body = body;
    const size = objects.reduce((sum, { data }) => sum + data.length, 0);
    const { quota } = this.useFiles(request, response, this.files.open(request, size));
    request.uploads = await this.json.write(objects, quota);
    request.bodyMemory?.resize(Math.max(0, bytes - size));
  }

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
    const { quota } = this.useFiles(request, response, this.files.openUnlimited());
    const stream = pipeRequest(request);
    const writing = quota.write(stream, (bytes) => {
      if (bytes > maxBytes) throw new BodyTooLargeError(maxBytes);
      onProgress(bytes);
    });
    try {
      let file: LocalFile | undefined;
      const written = writing.then((result) => void (file = result));
      await readInTime(request, Promise.race([written, rejectOnAbort(signal)]), { totalMs: Infinity, occupancy });
      return file!;
    } catch (error) {
      request.unpipe(stream);
      stream.destroy();
      request.resume();
      if (signal.aborted) closeAfterUnreadBody(request, response);
      else await discardRest(request, response, error);
      throw error;
    }
  }

  /**
   * The files are used until the response is sent and the handler has ended: a client that disconnects does not end the work.
   *
   * @returns the files of the request, and a function that releases them before.
   */
  private useFiles(request: Request, response: Response, quota: TemporaryFileQuota) {
    request.temporaryFiles = quota;
    const releases = [quota.retain(), quota.retain()] as const;
    onResponseEnd(response, releases[0]);
    onHandlerEnd(request, releases[1]);
    return { quota, release: () => releases.forEach((release) => release()) };
  }
}

/** Waits a moment for the rest of a rejected body, then lets the connection close with the response. */
export async function discardRest(request: Request, response: Response, error: unknown): Promise<void> {
  const isEndless =
    error instanceof DomainError && error.kind === 'too_large' && request.headers['content-length'] === undefined;
  const isLate = error instanceof DomainError && error.headers['Connection'] !== undefined;
  if (!isEndless && !isLate && !request.complete && !request.destroyed) await waitForEnd(request);
  if (!request.complete) closeAfterUnreadBody(request, response);
}

async function waitForEnd(request: Request): Promise<void> {
  const ended = new AbortController();
  request.once('end', () => ended.abort()).once('close', () => ended.abort());
  await delay(REST_MS, undefined, { signal: ended.signal }).catch(() => undefined);
}

/** The body as a stream that fails if the sender disconnects before the end. */
function pipeRequest(request: Request): PassThrough {
  const stream = new PassThrough();
  const onCut = () => {
    if (!request.readableEnded) stream.destroy(new IncompleteBodyError());
  };
  request.once('close', onCut).once('error', onCut);
  return request.pipe(stream);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
