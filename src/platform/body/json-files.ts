import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type FieldError, InvalidRequestError, unknownField } from '../../../packages/errors/src/domain-error.js';
import { Base64Decoder, invalidBase64 } from './base64.js';
import { FilePolicy } from './file-policy.js';
import { TemporaryFiles } from './temporary-files.js';
import { MAX_SENT_NAME_LENGTH, type Upload } from './upload.js';

/** A file in a JSON body; `data` is base64 or a data URI. */
interface FileObject {
  filename: string;
  data: string;
}

const FIELDS = ['filename', 'contentType', 'data'];

/** Reads the files of a JSON body, in base64 (specification, section 2.6). */
@Injectable()
export class JsonFiles {
  constructor(
    private readonly policy: FilePolicy,
    private readonly files: TemporaryFiles,
  ) {}

  /**
   * Moves the files of a parsed body to temporary files, which become `request.uploads`, one after the other: the text
   * of each is then removed from memory.
   *
   * @param bytes of the whole body. @throws {DomainError} if a file is invalid or cannot be stored now
   */
  async take(request: Request, response: Response, bytes: number): Promise<void> {
    const { files, ...body } = request.body as { files?: unknown };
    if (files === undefined) return;
    const objects = this.validate(files);
    request.body = body;
    const size = objects.reduce((sum, { data }) => sum + data.length, 0);
    const quota = this.files.open(request, size);
    quota.retainUntilEnd(request, response);
    const uploads: Upload[] = [];
    for (const [index, file] of objects.entries()) {
      const content = decodeBase64(file.data, `files[${index}].data`);
      uploads.push(await this.policy.store(quota, content, `files[${index}]`, file.filename));
      file.data = '';
    }
    request.uploads = uploads;
    request.bodyMemory?.resize(Math.max(0, bytes - size));
  }

  /**
   * Validates the structure of `files` before any file is decoded.
   *
   * @throws {InvalidRequestError | TooManyFilesError}
   */
  private validate(files: unknown): FileObject[] {
    if (files === null) return [];
    if (!Array.isArray(files)) {
      throw new InvalidRequestError([{ field: 'files', code: 'invalid_field', message: 'files must be a list' }]);
    }
    this.policy.requireCount(files.length);
    const errors = (files as unknown[]).flatMap((file, index) => findErrors(file, `files[${index}]`));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return files as FileObject[];
  }
}

function findErrors(file: unknown, field: string): FieldError[] {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    return [{ field, code: 'invalid_field', message: `${field} must be an object with filename and data` }];
  }
  const { filename, contentType, data } = file as Record<string, unknown>;
  const notText = Object.entries({ filename, contentType: contentType ?? '', data })
    .filter(([, value]) => typeof value !== 'string')
    .map(([name]) => ({ field: `${field}.${name}`, code: 'invalid_field', message: `${name} must be a string` }));
  if (typeof filename === 'string' && !filename.isWellFormed()) {
    const message = 'filename must not contain half a surrogate pair';
    notText.push({ field: `${field}.filename`, code: 'invalid_field', message });
  }
  if (typeof filename === 'string' && filename.length > MAX_SENT_NAME_LENGTH) {
    const message = `filename has ${filename.length} characters; the limit is ${MAX_SENT_NAME_LENGTH}`;
    notText.push({ field: `${field}.filename`, code: 'invalid_field', message });
  }
  const unknown = Object.keys(file)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => ({ ...unknownField(name), field: `${field}.${name}` }));
  return [...notText, ...unknown];
}

/** Characters decoded at a time: about 2 ms. */
const CHUNK = 256 * 1024;

/**
 * The start of a data URI (RFC 2397) with base64: the type and the parameters may be absent, and browsers write
 * parameters with commas, quotes and spaces, such as `; codecs="vp8, opus"`.
 */
const DATA_URI = /^data:(?:[\w.+-]+\/[\w.+-]+)?(?:;\s*[\w.-]+=(?:"[^"]*"|[^";]*))*;\s*base64,/i;
const MAX_DATA_URI_PREFIX = 300;

/** Decodes base64, which may begin with the prefix of a data URI. @throws {InvalidRequestError} naming the field */
export function* decodeBase64(text: string, field: string): Generator<Buffer> {
  const start = getStart(text, field);
  const decoder = new Base64Decoder(field, start);
  for (let position = start; position < text.length; position += CHUNK)
    yield decoder.add(text.slice(position, position + CHUNK));
  yield decoder.end();
}

/** The position after the prefix of a data URI. @throws {InvalidRequestError} for a data URI without base64 */
function getStart(text: string, field: string): number {
  const prefix = text.slice(0, MAX_DATA_URI_PREFIX);
  if (!/^data:/i.test(prefix)) return 0;
  const match = DATA_URI.exec(prefix);
  if (match) return match[0].length;
  throw invalidBase64(field, `${field} must be base64, or a data URI of the form data:<type>;base64,<data>.`);
}
