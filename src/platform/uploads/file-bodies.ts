import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BodyMemory, whenOver } from '../http/body-memory.js';
import { DomainError } from '../http/domain-error.js';
import { closeLingering } from '../http/lingering-close.js';
import { formDigest } from './body-digest.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { Spool, type SpoolShare } from './spool.js';
import { FormTooLargeError, IncompleteBodyError } from './uploads.errors.js';

/** How long a sender whose form is refused may go on: many read the answer only when they have sent everything. */
const HEAR_OUT_MS = 5_000;

/** Bodies with files: what is left of them in `request.body`, their files in `request.uploads`. */
@Injectable()
export class FileBodies {
  constructor(
    private readonly form: FormFiles,
    private readonly json: JsonFiles,
    private readonly spool: Spool,
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

  private shareFor(request: Request, response: Response, bytes: number): SpoolShare {
    if (response.closed) throw new IncompleteBodyError();
    const share = this.spool.open(bytes);
    request.spooled = share;
    whenOver(response, share.hold());
    return share;
  }
}

/** Lets the rest of a refused form come for a moment. Then the connection closes with the answer. */
async function hearOut(request: Request, response: Response, error: unknown): Promise<void> {
  const endless = error instanceof FormTooLargeError && request.headers['content-length'] === undefined;
  const isLate = error instanceof DomainError && error.headers['Connection'] !== undefined;
  if (!endless && !isLate && !request.complete) await ended(request);
  if (!request.complete) closeLingering(request, response);
}

async function ended(request: Request): Promise<void> {
  const enough = new AbortController();
  request.once('end', () => enough.abort()).once('close', () => enough.abort());
  await delay(HEAR_OUT_MS, undefined, { signal: enough.signal }).catch(() => undefined);
}
