import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from './body-limits.js';
import { FormTooLargeError, MalformedFormError } from './body.errors.js';
import { digestForm } from './body-digest.js';
import { BodyMemory } from './body-memory.js';
import { readStream } from './body-receiver.js';
import type { Reservation } from './byte-budget.js';
import { FilePolicy } from './file-policy.js';
import { FormFields, MAX_FIELDS } from './form-fields.js';
import { decodeFile, decodeText } from './form-texts.js';
import { DTO_LIMITS } from '../../../packages/json/src/json-structure.js';
import { parseJson } from '../../../packages/json/src/json-parser.js';
import { type FormPart, MultipartReader, readBoundary, requireUtf8 } from './multipart-reader.js';
import { type TemporaryFileQuota, TemporaryFiles } from './temporary-files.js';
import { MAX_SENT_NAME_LENGTH, type Upload } from './upload.js';

/** Parts without a file that browsers send for empty inputs, and parts with files. */
const FILE_PARTS = 30;

/** The field of the files, as clients of several languages write it. */
const FILES_FIELD = /^files(\[\d{0,3}\])?$/;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/**
 * Reads `multipart/form-data`. Files are written to temporary files as they arrive and are never completely in memory.
 */
@Injectable()
export class FormFiles {
  constructor(
    private readonly policy: FilePolicy,
    private readonly files: TemporaryFiles,
    private readonly memory: BodyMemory,
  ) {}

  /**
   * Reads a form: its files become `request.uploads`, its fields `request.body`.
   *
   * @throws {DomainError} if it is invalid, too large or cannot be stored now; possibly before the form is complete
   */
  async read(request: Request, response: Response): Promise<void> {
    const length = Number(request.headers['content-length'] ?? MAX_FORM_BYTES);
    if (length > MAX_FORM_BYTES)
      throw new FormTooLargeError('All files and fields together exceed', MAX_FORM_BYTES, length);
    const memory = this.memory.open(request, response);
    memory.require(Math.min(length, MAX_BODY_BYTES));
    const quota = this.files.open(request, Math.min(length, MAX_FORM_BYTES));
    const releaseFiles = quota.retainUntilEnd(request, response);
    const reading = new FormReading(this.policy, quota, memory);
    await readStream(request, response, (stream) => reading.run(request, stream), {
      occupancy: () => Math.max(quota.occupancy, memory.occupancy),
      // Other bodies fail while this one uses bytes.
      release: () => {
        releaseFiles();
        memory.release();
      },
    });
    if (request.headers['idempotency-key'] !== undefined)
      request.bodyDigest = await digestForm(request.body as object, request.uploads!);
  }
}

/** @throws {FormTooLargeError} as soon as the form is too large */
async function* limitForm(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) throw new FormTooLargeError('All files and fields together exceed', MAX_FORM_BYTES);
    yield chunk;
  }
}

/** One form on its way from the request to its fields and temporary files. */
class FormReading {
  private readonly fields = new FormFields();
  private readonly uploads: Upload[] = [];
  private fieldBytes = 0;

  constructor(
    private readonly policy: FilePolicy,
    private readonly quota: TemporaryFileQuota,
    private readonly memory: Reservation,
  ) {}

  /** Sets `request.body` and `request.uploads`. */
  async run(request: Request, stream: AsyncIterable<Buffer>): Promise<void> {
    const boundary = readBoundary(request.headers['content-type']);
    const reader = new MultipartReader(limitForm(stream), boundary, MAX_FIELDS + FILE_PARTS);
    for await (const part of reader.parts()) {
      if (part.filename && isFile(part)) await this.addFile(part, part.filename);
      else if (part.filename === '') await requireEmpty(part);
      else await this.addField(part);
    }
    request.body = this.fields.toBody();
    request.uploads = this.uploads;
  }

  private async addFile(part: FormPart, sentName: string): Promise<void> {
    const { name } = part;
    if (!FILES_FIELD.test(name))
      throw new MalformedFormError(`Files must be in the field "files", not "${name.slice(0, 100)}".`, name);
    if (sentName.length > MAX_SENT_NAME_LENGTH)
      throw new MalformedFormError(`The name of a file exceeds the limit of ${MAX_SENT_NAME_LENGTH} characters.`, name);
    requireUtf8(sentName, 'The name of a file');
    const field = `files[${this.uploads.length}]`;
    this.policy.requireCount(this.uploads.length + 1);
    this.uploads.push(await this.policy.store(this.quota, decodeFile(part, field), field, sentName));
  }

  private async addField(part: FormPart): Promise<void> {
    const { name, filename } = part;
    const text = decodeText(part, await this.readField(part));
    // Clients send an empty list of files as an empty text.
    if (text === '' && FILES_FIELD.test(name)) return;
    // A file in another field is the JSON of this field.
    this.fields.add(name, filename === undefined ? text : parseField(name, text));
  }

  /** Fields are in memory, and charged as they arrive. */
  private async readField({ name, content }: FormPart): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    this.fieldBytes += Buffer.byteLength(name);
    for await (const chunk of content) {
      size += chunk.length;
      this.fieldBytes += chunk.length;
      if (size > MAX_BODY_BYTES)
        throw new FormTooLargeError(`The field "${name.slice(0, 100)}" exceeds`, MAX_BODY_BYTES);
      if (this.fieldBytes > MAX_BODY_BYTES)
        throw new FormTooLargeError('All fields of the form together exceed', MAX_BODY_BYTES);
      this.memory.resize(this.fieldBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** A part with a filename is a file, except JSON in a field without files, as generated clients of browsers send it. */
function isFile({ name, headers }: FormPart): boolean {
  return FILES_FIELD.test(name) || !JSON_TYPE.test(headers.get('content-type') ?? '');
}

/** An input of a browser without a file. */
async function requireEmpty({ name, content }: FormPart): Promise<void> {
  for await (const chunk of content) {
    if (chunk.length > 0)
      throw new MalformedFormError('A file of the form has no filename in its Content-Disposition.', name);
  }
}

function parseField(name: string, text: string): unknown {
  try {
    return parseJson(text, DTO_LIMITS);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new MalformedFormError(`The field "${name.slice(0, 100)}" cannot be read as JSON. ${error.message}`, name);
  }
}
