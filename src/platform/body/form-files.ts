import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import { MAX_BODY_BYTES, MAX_FORM_BYTES } from './body-limits.js';
import { FormTooLargeError, MalformedFormError } from './body.errors.js';
import { pipeRequest } from './body-receiver.js';
import { readInTime } from './body-timeouts.js';
import type { Reservation } from './byte-budget.js';
import { FilePolicy } from './file-policy.js';
import { FormFields, MAX_FIELDS } from './form-fields.js';
import { decodeFile, decodeText } from './form-texts.js';
import { DTO_LIMITS } from '../../../packages/json/src/json-structure.js';
import { parseJson } from '../../../packages/json/src/json-parser.js';
import { type FormPart, MultipartReader, readBoundary, requireUtf8 } from './multipart-reader.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import { displayName, MAX_SENT_NAME_LENGTH, type Upload } from './upload.js';

/** Parts without a file that browsers send for empty inputs, and parts with files. */
const FILE_PARTS = 30;

/** The field of the files, as clients of several languages write it. */
const FILES_FIELD = /^files(\[\d{0,3}\])?$/;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

interface Form {
  body: Record<string, unknown>;
  uploads: Upload[];
}

/**
 * Reads `multipart/form-data`. Files are written to temporary files as they arrive and are never completely in memory.
 */
@Injectable()
export class FormFiles {
  constructor(private readonly policy: FilePolicy) {}

  /** @throws {DomainError} possibly before the form is complete; the rest of it is discarded */
  async read(request: Request, quota: TemporaryFileQuota, memory: Reservation): Promise<Form> {
    const boundary = readBoundary(request.headers['content-type']);
    const stream = pipeRequest(request);
    const reading = new FormReading(this.policy, quota, memory);
    const reader = new MultipartReader(limitForm(stream), boundary, MAX_FIELDS + FILE_PARTS);
    try {
      await readInTime(request, reading.run(reader), {
        occupancy: () => Math.max(quota.occupancy, memory.occupancy),
      });
      return reading.form();
    } finally {
      request.unpipe(stream);
      stream.destroy();
      request.resume();
    }
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

  async run(reader: MultipartReader): Promise<void> {
    for await (const part of reader.parts()) {
      if (part.filename && isFile(part)) await this.addFile(part, part.filename);
      else if (part.filename === '') await requireEmpty(part);
      else await this.addField(part);
    }
  }

  form(): Form {
    return { body: this.fields.toBody(), uploads: this.uploads };
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
    const reference = { field, filename: displayName(sentName) };
    const checkSize = (size: number) => this.policy.requireSize(reference, size);
    const file = await this.quota.write(decodeFile(part, field), checkSize);
    this.uploads.push(await this.policy.detectType(reference, file));
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
