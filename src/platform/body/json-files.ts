import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequestError, unknownField } from '../../../packages/errors/src/domain-error.js';
import { Base64Decoder, invalidBase64 } from './base64.js';
import { FilePolicy } from './file-policy.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import { displayName, MAX_SENT_NAME_LENGTH, type Upload } from './upload.js';

/** A file in a JSON body; `data` is base64 or a data URI. */
export interface FileObject {
  filename: string;
  data: string;
}

const FIELDS = ['filename', 'contentType', 'data'];

/** Reads the files of a JSON body, in base64 (specification, section 2.6). */
@Injectable()
export class JsonFiles {
  constructor(private readonly policy: FilePolicy) {}

  /**
   * Validates the structure of `files` before any file is decoded.
   *
   * @throws {InvalidRequestError | TooManyFilesError}
   */
  validate(files: unknown): FileObject[] {
    if (files === null) return [];
    if (!Array.isArray(files)) {
      throw new InvalidRequestError([{ field: 'files', code: 'invalid_field', message: 'files must be a list' }]);
    }
    this.policy.requireCount(files.length);
    const errors = (files as unknown[]).flatMap((file, index) => findErrors(file, `files[${index}]`));
    if (errors.length > 0) throw new InvalidRequestError(errors);
    return files as FileObject[];
  }

  /** Writes the files one after the other to temporary files, and removes the text of each from memory. */
  async write(files: FileObject[], quota: TemporaryFileQuota): Promise<Upload[]> {
    const uploads: Upload[] = [];
    for (const [index, file] of files.entries()) {
      uploads.push(await this.writeFile(file, `files[${index}]`, quota));
      file.data = '';
    }
    return uploads;
  }

  private async writeFile({ filename, data }: FileObject, field: string, quota: TemporaryFileQuota): Promise<Upload> {
    const reference = { field, filename: displayName(filename) };
    const checkSize = (size: number) => this.policy.requireSize(reference, size);
    const file = await quota.write(decodeBase64(data, `${field}.data`), checkSize);
    return this.policy.detectType(reference, file);
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
