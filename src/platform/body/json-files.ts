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
  if (typeof filename === 'string' && !filename.isWellFormed()) {
    const message = 'filename must not contain half a surrogate pair';
    notText.push({ field: `${field}.filename`, code: 'invalid_field', message });
  }
  const unknown = Object.keys(file)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => ({ ...unknownField(name), field: `${field}.${name}` }));
  return [...notText, ...unknown];
}

/** Characters decoded at a time. */
const CHUNK = 256 * 1024;

/**
 * The start of a data URI (RFC 2397) with base64: the type and the parameters may be absent, and browsers write
 * parameters with commas, quotes and spaces, such as `; codecs="vp8, opus"`.
 */
const DATA_URI = /^data:(?:[\w.+-]+\/[\w.+-]+)?(?:;\s*[\w.-]+=(?:"[^"]*"|[^";]*))*;\s*base64,/i;
const MAX_DATA_URI_PREFIX = 300;

/** Base64 in a text that may begin with the prefix of a data URI. */
export interface Base64Text {
  text: string;
  /** Position of the first base64 character. */
  start: number;
  /** Position after the last character that is neither padding nor white space. */
  end: number;
  /** Number of `=` at the end. */
  padding: number;
}

/** @throws {InvalidRequestError} for a data URI without base64 */
export function parseBase64(text: string, field: string): Base64Text {
  const start = getStart(text, field);
  let [end, padding] = [text.length, 0];
  for (; end > start && /[\s=]/.test(text[end - 1]!); end--) if (text[end - 1] === '=') padding++;
  return { text, start, end, padding };
}

function getStart(text: string, field: string): number {
  const prefix = text.slice(0, MAX_DATA_URI_PREFIX);
  if (!/^data:/i.test(prefix)) return 0;
  const match = DATA_URI.exec(prefix);
  if (match) return match[0].length;
  throw invalidBase64(field, `${field} must be base64, or a data URI of the form data:<type>;base64,<data>.`);
}

/** Bytes of the decoded text. */
export function decodedSize({ text, start, end }: Base64Text): number {
  let characters = end - start;
  for (let position = start; position < end; position++) if (text.charCodeAt(position) <= SPACE) characters--;
  return Math.floor((characters * 3) / 4);
}

const SPACE = ' '.charCodeAt(0);
const WHITE_SPACE = /[\t\n\r ]+/g;

/**
 * Decodes in chunks. Accepts both alphabets of RFC 4648, white space as mail and command-line tools insert it, and
 * texts without padding. Node's decoder accepts nearly everything, so the result is encoded again and compared with the
 * text.
 *
 * @throws {InvalidRequestError} naming the field
 */
export function* decodeBase64({ text, start, end, padding }: Base64Text, field: string): Generator<Buffer> {
  let [rest, characters] = ['', 0];
  for (let position = start; position < end; position += CHUNK) {
    const chunk = text.slice(position, Math.min(position + CHUNK, end)).replace(WHITE_SPACE, '');
    characters += chunk.length;
    const available = rest + chunk.replaceAll('-', '+').replaceAll('_', '/');
    const isLast = position + CHUNK >= end;
    const whole = isLast ? available.length : available.length - (available.length % 4);
    yield decodeStrictly(available.slice(0, whole), field);
    rest = available.slice(whole);
  }
  if (padding > 0 && (padding > 2 || (characters + padding) % 4 !== 0)) throw invalidText(field);
}

/** @param text without padding */
function decodeStrictly(text: string, field: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== text) throw invalidText(field);
  return bytes;
}

function invalidText(field: string): InvalidRequestError {
  const rule = 'A-Z, a-z, 0-9, + and /, or - and _, with or without line breaks and padding';
  return invalidBase64(field, `${field} must be base64 (RFC 4648): ${rule}.`);
}

function invalidBase64(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'invalid_base64', message }], message);
}
