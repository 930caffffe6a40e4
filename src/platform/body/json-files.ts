import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequestError, unknownField } from '../http/domain-error.js';
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

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** The digits of both alphabets of RFC 4648: 1 for each character code that is one. */
const DIGITS = new Uint8Array(256);
for (const digit of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'))
  DIGITS[digit] = 1;

/**
 * Decodes base64, which may begin with the prefix of a data URI, in chunks. Accepts both alphabets of RFC 4648, texts
 * without padding, line breaks as mail and command-line tools insert them, and blanks next to those. Other blanks
 * are rejected: a relay may have made them of `+`.
 *
 * @throws {InvalidRequestError} naming the field
 */
export function* decodeBase64(text: string, field: string): Generator<Buffer> {
  const digits = new Base64Digits();
  let rest = Buffer.alloc(0);
  for (let position = getStart(text, field); position < text.length; position += CHUNK) {
    const added = digits.collect(text.slice(position, position + CHUNK));
    if (added === undefined) throw invalidText(field);
    const available = Buffer.concat([rest, added]);
    const whole = available.length - (available.length % 4);
    yield Buffer.from(available.toString('latin1', 0, whole), 'base64');
    rest = Buffer.from(available.subarray(whole));
  }
  if (!digits.end()) throw invalidText(field);
  const last = rest.toString('latin1');
  const bytes = Buffer.from(last, 'base64');
  // A single digit is not a byte, and the bits after the last byte must be 0.
  if (bytes.toString('base64url') !== last.replaceAll('+', '-').replaceAll('/', '_')) throw invalidText(field);
  yield bytes;
}

/** Collects the digits of a base64 text, and checks what is between and after them. */
class Base64Digits {
  private count = 0;
  private padding = 0;
  /** Is a line break before the next digit? */
  private hasBreak = false;
  /** Is a blank before the next digit? */
  private hasBlank = false;
  private hasSkippedBlanks = false;

  /** The digits of the next characters; undefined if they contain another character, or a digit after padding. */
  collect(text: string): Buffer | undefined {
    // One byte per character; a character beyond Latin-1 must not become a digit.
    if (/[^\0-\x7f]/.test(text)) return undefined;
    const bytes = Buffer.from(text, 'latin1');
    let length = 0;
    for (const byte of bytes) {
      if (DIGITS[byte] === 1) {
        if (this.padding > 0 || !this.endGap()) return undefined;
        bytes[length++] = byte;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.hasBreak = true;
      else if (byte === SPACE || byte === TAB) this.hasBlank = true;
      else if (byte !== EQUALS || !this.endGap()) return undefined;
      else this.padding++;
    }
    this.count += length;
    return bytes.subarray(0, length);
  }

  /** Call it after the last character: is the padding complete, and no blank at the end? */
  end(): boolean {
    if (!this.endGap() || this.padding > 2) return false;
    // Without padding, a `+` that became a blank at a line break would not be noticed.
    const mustBePadded = this.padding > 0 || this.hasSkippedBlanks;
    return !mustBePadded || (this.count + this.padding) % 4 === 0;
  }

  /** @returns false if blanks without a line break are between two digits */
  private endGap(): boolean {
    const isAllowed = !this.hasBlank || this.hasBreak;
    this.hasSkippedBlanks ||= this.hasBlank;
    this.hasBlank = this.hasBreak = false;
    return isAllowed;
  }
}

/** The position after the prefix of a data URI. @throws {InvalidRequestError} for a data URI without base64 */
function getStart(text: string, field: string): number {
  const prefix = text.slice(0, MAX_DATA_URI_PREFIX);
  if (!/^data:/i.test(prefix)) return 0;
  const match = DATA_URI.exec(prefix);
  if (match) return match[0].length;
  throw invalidBase64(field, `${field} must be base64, or a data URI of the form data:<type>;base64,<data>.`);
}

function invalidText(field: string): InvalidRequestError {
  const rule =
    'A-Z, a-z, 0-9, + and /, or - and _, with or without line breaks and padding; a blank within a line may be a lost +';
  return invalidBase64(field, `${field} must be base64 (RFC 4648): ${rule}.`);
}

function invalidBase64(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'invalid_base64', message }], message);
}
