import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readBody } from './body-reader.js';
import { BodyMemory, onResponseEnd } from './body-memory.js';
import { DomainError } from '../http/domain-error.js';
import { closeAfterUnreadBody } from './unread-body.js';
import type { LocalFile } from '../storage/file-storage.js';
import { formDigest } from './form-digest.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { TemporaryFiles, type TemporaryFileQuota } from './temporary-files.js';
import { BodyTooLargeError, FormTooLargeError, IncompleteBodyError } from './body.errors.js';

/** How long a sender whose form is refused may go on: many read the answer only when they have sent everything. */
const HEAR_OUT_MS = 5_000;

/** Bodies with files: what is left of them in `request.body`, their files in `request.uploads`. */
@Injectable()
export class FileBodies {
  constructor(
    private readonly form: FormFiles,
    private readonly json: JsonFiles,
    private readonly spool: TemporaryFiles,
    private readonly memory: BodyMemory,
  ) {}

  /** Reads a form. @throws {DomainError} also where there is no room for it. */
  async readForm(request: Request, response: Response): Promise<void> {
    const { mostBytes, mostFieldBytes } = this.form;
    const length = Number(request.headers['content-length'] ?? mostBytes);
    if (length > mostBytes) throw new FormTooLargeError('All files and fields together have', mostBytes, length);
    this.memory.reserve(request, response, Math.min(length, mostFieldBytes));
    const share = this.shareFor(request, response, length);
    try {
      const { body, uploads } = await this.form.read(request, response, share);
      Object.assign(request, { body, uploads });
    } catch (error) {
      await hearOut(request, response, error);
      throw error;
    }
    if (request.headers['idempotency-key'] !== undefined) {
      request.bodyDigest = formDigest(request.body as object, request.uploads!);
    }
  }

  /** Takes the files out of a JSON body that has been read. @param bytes of the whole body. */
  async takeFromJson(request: Request, response: Response, bytes: number): Promise<void> {
    const { files, ...body } = request.body as { files?: unknown };
    if (files === undefined) return;
    const objects = this.json.check(files);
    request.body = body;
    const size = objects.reduce((sum, { data }) => sum + data.length, 0);
    const share = this.shareFor(request, response, size);
    request.uploads = await this.json.write(objects, share);
    this.memory.shrink(request, Math.max(0, bytes - size));
  }

  /**
   * Takes a body of any length into the spool, as it is. It counts against no budget of bytes: who calls this bounds how
   * many do so at once.
   *
   * @param most bytes that are taken. @param came is told the bytes so far. @param signal ends it, for its own reason.
   * @throws {DomainError} also where the sender goes away; then nothing is left of it.
   */
  async receive(
    request: Request,
    response: Response,
    most: number,
    came: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<LocalFile> {
    const declared = request.headers['content-length'];
    if (Number(declared ?? 0) > most) throw new BodyTooLargeError(most, Number(declared));
    const share = this.shareFor(request, response, 0);
    const intake = intakeOf(request);
    const writing = share.write(intake, (bytes) => {
      if (bytes > most) throw new BodyTooLargeError(most);
      came(bytes);
    });
    try {
      let file: LocalFile | undefined;
      const written = writing.then((whole) => void (file = whole));
      await readBody(request, Promise.race([written, ended(signal)]), undefined, Infinity);
      return file!;
    } catch (error) {
      request.unpipe(intake);
      intake.destroy();
      request.resume();
      if (signal.aborted) closeAfterUnreadBody(request, response);
      else await hearOut(request, response, error);
      throw error;
    }
  }

  private shareFor(request: Request, response: Response, bytes: number): TemporaryFileQuota {
    if (response.closed) throw new IncompleteBodyError();
    const share = this.spool.open(bytes);
    request.spooled = share;
    onResponseEnd(response, share.hold());
    return share;
  }
}

/** Lets the rest of a refused form come for a moment. Then the connection closes with the answer. */
async function hearOut(request: Request, response: Response, error: unknown): Promise<void> {
  const endless =
    error instanceof DomainError && error.kind === 'too_large' && request.headers['content-length'] === undefined;
  const isLate = error instanceof DomainError && error.headers['Connection'] !== undefined;
  if (!endless && !isLate && !request.complete && !request.destroyed) await sent(request);
  if (!request.complete) closeAfterUnreadBody(request, response);
}

async function sent(request: Request): Promise<void> {
  const enough = new AbortController();
  request.once('end', () => enough.abort()).once('close', () => enough.abort());
  await delay(HEAR_OUT_MS, undefined, { signal: enough.signal }).catch(() => undefined);
}

/** The body on its way, which fails where its sender is gone before the end. */
function intakeOf(request: Request): PassThrough {
  const intake = new PassThrough();
  const cut = () => {
    if (!request.readableEnded) intake.destroy(new IncompleteBodyError());
  };
  request.once('close', cut).once('error', cut);
  return request.pipe(intake);
}

/** Fails when the signal is given. */
function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
