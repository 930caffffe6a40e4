import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequestError, unknownField } from '../http/domain-error.js';
import { FilePolicy } from './file-policy.js';
import type { TemporaryFileQuota } from './temporary-files.js';
import { displayName, type Upload } from './upload.js';

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
    const base64 = parseBase64(data, `${field}.data`);
    const size = decodedSize(base64);
    this.policy.requireSize(reference, size, size);
    const file = await quota.write(decodeBase64(base64, `${field}.data`), () => undefined);
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
  const unknown = Object.keys(file)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => ({ ...unknownField(name), field: `${field}.${name}` }));
  return [...notText, ...unknown];
}

/** Characters decoded at a time; a multiple of four. */
const CHUNK = 256 * 1024;

/** The media type as a browser's FileReader writes it, possibly with parameters such as `codecs=opus`. */
const DATA_URI = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.-]+=(?:"[^"]*"|[^",;]*))*;base64,/i;
const MAX_DATA_URI_PREFIX = 300;

/** Base64 in a text that may begin with the prefix of a data URI. */
export interface Base64Text {
  text: string;
  /** Position of the first base64 character. */
  start: number;
}

/** @throws {InvalidRequestError} for a data URI without base64 */
export function parseBase64(text: string, field: string): Base64Text {
  const prefix = text.slice(0, MAX_DATA_URI_PREFIX);
  if (!/^data:/i.test(prefix)) return { text, start: 0 };
  const match = DATA_URI.exec(prefix);
  if (match) return { text, start: match[0].length };
  throw invalidBase64(field, `${field} must be base64, or a data URI of the form data:<type>;base64,<data>.`);
}

/** Bytes of the decoded text. */
export function decodedSize({ text, start }: Base64Text): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor(((text.length - start) * 3) / 4) - padding);
}

/**
 * Decodes in chunks and strictly by RFC 4648, section 4. Node's decoder accepts nearly everything, so the result is
 * encoded again and compared with the text.
 *
 * @throws {InvalidRequestError} naming the field
 */
export function* decodeBase64({ text, start }: Base64Text, field: string): Generator<Buffer> {
  for (let position = start; position < text.length; position += CHUNK) {
    const chunk = text.slice(position, position + CHUNK);
    const bytes = Buffer.from(chunk, 'base64');
    const isLast = position + CHUNK >= text.length;
    if (bytes.toString('base64') !== chunk || (!isLast && chunk.endsWith('='))) {
      const rule = 'A-Z, a-z, 0-9, + and /, padded with =, without line breaks';
      throw invalidBase64(field, `${field} must be base64 (RFC 4648, section 4): ${rule}.`);
    }
    yield bytes;
  }
}

function invalidBase64(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'invalid_base64', message }], message);
}
