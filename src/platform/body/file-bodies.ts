import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from './body-limits.js';
import { FormTooLargeError } from './body.errors.js';
import { digestForm } from './body-digest.js';
import { BodyMemory } from './body-memory.js';
import { discardRest } from './body-timeouts.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { TemporaryFiles } from './temporary-files.js';

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
    const quota = this.files.open(request, Math.min(length, MAX_FORM_BYTES));
    const release = quota.retainUntilEnd(request, response);
    try {
      const { body, uploads } = await this.form.read(request, quota, memory);
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
    const quota = this.files.open(request, size);
    quota.retainUntilEnd(request, response);
    request.uploads = await this.json.write(objects, quota);
    request.bodyMemory?.resize(Math.max(0, bytes - size));
  }
}
