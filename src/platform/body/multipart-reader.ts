import { MalformedFormError } from './body.errors.js';
import { parseParameters } from './header-parameters.js';
import { decodeFileName } from './sent-file-name.js';

/** Bytes of the headers of a part. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Bytes of white space after a delimiter. */
const MAX_PADDING = 1024;

/** Characters of a boundary; RFC 2046 permits 70. */
const MAX_BOUNDARY = 200;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;

const LINE_END = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

/** A part of a form. */
export interface FormPart {
  /** The field. */
  name: string;
  /** Undefined if the part is not a file; empty if a browser has sent an input without a file. */
  filename: string | undefined;
  /** The headers by their names in lower case. */
  headers: ReadonlyMap<string, string>;
  /** Position of the content in the form, in bytes. */
  start: number;
  /** The content. It is read once, before the next part. */
  content: AsyncIterable<Buffer>;
}

/** A delimiter in the bytes that were received. */
interface Delimiter {
  /** Where the content ends. */
  before: number;
  /** Where the next part begins. */
  after: number;
  isLast: boolean;
}

/** The boundary of `multipart/form-data`. @throws {MalformedFormError} */
export function readBoundary(contentType: string | undefined): string {
  const type = parseParameters(contentType ?? '');
  if (type?.value !== 'multipart/form-data') throw new MalformedFormError('The Content-Type is malformed.');
  const boundary = type.parameters.get('boundary');
  if (!boundary) throw new MalformedFormError('The Content-Type has no boundary.');
  if (boundary.length <= MAX_BOUNDARY) return boundary;
  throw new MalformedFormError(`The boundary exceeds the limit of ${MAX_BOUNDARY} characters.`);
}

/**
 * Reads the parts of a form (RFC 7578) from its bytes, as they arrive. No part is lost: what is neither a part nor
 * white space before or after them is an error, and so is the boundary within a part.
 */
export class MultipartReader {
  /** Position in the form after the content of the last part that was read. */
  end = 0;
  private readonly chunks: AsyncIterator<Buffer>;
  private readonly boundary: Buffer;
  /** Bytes that are not read yet. The start of a form counts as the start of a line. */
  private bytes: Buffer = LINE_END;
  /** Position of these bytes in the form. */
  private position = -LINE_END.length;
  private isEnded = false;
  /** Was the last delimiter read? */
  private isLast = false;

  /** @param chunks the form. @param maxParts limit of the parts. */
  constructor(
    chunks: AsyncIterable<Buffer>,
    boundary: string,
    private readonly maxParts: number,
  ) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.boundary = Buffer.from(`--${boundary}`, 'latin1');
  }

  /** @throws {MalformedFormError} */
  async *parts(): AsyncGenerator<FormPart> {
    try {
      yield* this.readParts();
    } finally {
      await this.chunks.return?.();
    }
  }

  private async *readParts(): AsyncGenerator<FormPart> {
    for await (const chunk of this.readContent()) requireBlank(chunk, 'The form does not begin with its boundary.');
    for (let count = 0; !this.isLast; count++) {
      if (count === this.maxParts) throw new MalformedFormError(`The form exceeds the limit of ${count} parts.`);
      const headers = await this.readHeaders();
      const content = this.readContent();
      yield { ...readDisposition(headers), headers, start: this.position, content };
      await skip(content);
    }
    do requireBlank(this.take(this.bytes.length), 'The form continues after its end.');
    while (await this.receive());
  }

  /** The bytes before the next delimiter, which is read, too. */
  private async *readContent(): AsyncGenerator<Buffer> {
    for (;;) {
      const found = this.locateDelimiter();
      if (typeof found === 'object') {
        const content = this.take(found.before);
        this.end = this.position;
        this.take(found.after - found.before);
        this.isLast = found.isLast;
        if (content.length > 0) yield content;
        return;
      }
      const content = this.take(found);
      if (content.length > 0) yield content;
      if (!(await this.receive())) throw new MalformedFormError('The form ends before its last boundary.');
    }
  }

  /** @returns the number of bytes that are before any delimiter if there is no complete one */
  private locateDelimiter(): Delimiter | number {
    const { bytes, boundary } = this;
    for (let at = bytes.indexOf(boundary); at >= 0; at = bytes.indexOf(boundary, at + 1)) {
      const end = this.findEnd(at + boundary.length);
      if (end === undefined) return Math.max(0, at - LINE_END.length);
      if (end.isLast === undefined) continue;
      // With another line break the part behind it would be lost as content of this one.
      if (end.after === undefined || bytes[at - 1] !== LF || bytes[at - 2] !== CR)
        throw new MalformedFormError(
          'The form contains its boundary outside of a line of its own, which ends with CRLF.',
        );
      return { before: at - LINE_END.length, after: end.after, isLast: end.isLast };
    }
    return Math.max(0, bytes.length - boundary.length - LINE_END.length);
  }

  /**
   * The end of a delimiter: hyphens after the last one, white space (RFC 2046, section 5.1.1) and CRLF.
   *
   * @returns undefined if further bytes decide; no `isLast` if this is not a delimiter; no `after` if it is malformed
   */
  private findEnd(start: number): { isLast?: boolean; after?: number } | undefined {
    const { bytes } = this;
    if (bytes.length < start + 2 && !this.isEnded) return undefined;
    if (bytes[start] === HYPHEN && bytes[start + 1] === HYPHEN) return { isLast: true, after: start + 2 };
    let at = start;
    while (bytes[at] === SPACE || bytes[at] === TAB) at++;
    if (at - start > MAX_PADDING) return { isLast: false };
    if (bytes.length < at + 2 && !this.isEnded && (at === bytes.length || bytes[at] === CR)) return undefined;
    if (bytes[at] === CR && bytes[at + 1] === LF) return { isLast: false, after: at + 2 };
    return at === bytes.length || bytes[at] === LF || bytes[at] === CR ? { isLast: false } : {};
  }

  private async readHeaders(): Promise<ReadonlyMap<string, string>> {
    for (;;) {
      // The line break of the delimiter belongs to the end of empty headers.
      if (this.bytes.subarray(0, LINE_END.length).equals(LINE_END)) return parseHeaders(this.take(LINE_END.length));
      const end = this.bytes.indexOf(HEADERS_END);
      if (end > MAX_HEADER_BYTES || (end < 0 && this.bytes.length > MAX_HEADER_BYTES))
        throw new MalformedFormError(`The headers of a part exceed the limit of ${MAX_HEADER_BYTES} bytes.`);
      if (end >= 0) return parseHeaders(this.take(end + HEADERS_END.length).subarray(0, end));
      if (!(await this.receive())) throw new MalformedFormError('The form ends within the headers of a part.');
    }
  }

  private take(length: number): Buffer {
    const taken = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    this.position += length;
    return taken;
  }

  /** @returns false if the form has ended, the first time after a last look at what was received */
  private async receive(): Promise<boolean> {
    if (this.isEnded) return false;
    const next = await this.chunks.next();
    if (next.done) this.isEnded = true;
    else this.bytes = this.bytes.length > 0 ? Buffer.concat([this.bytes, next.value]) : next.value;
    return true;
  }
}

/** Reads what is left of a content. */
export async function skip(content: AsyncIterable<Buffer>): Promise<void> {
  const chunks = content[Symbol.asyncIterator]();
  while (!(await chunks.next()).done);
}

function requireBlank(bytes: Buffer, message: string): void {
  if (bytes.some((byte) => byte !== CR && byte !== LF && byte !== SPACE && byte !== TAB))
    throw new MalformedFormError(message);
}

function parseHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  // A line that begins with white space continues the last one.
  // Bytes that are not UTF-8 become replacement characters, which names must not contain.
  const lines = bytes
    .toString()
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  for (const line of lines.filter((each) => each !== '')) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^]*)$/.exec(line) ?? [];
    if (name === undefined || /[\0\r\n]/.test(value!)) throw new MalformedFormError('A part has malformed headers.');
    if (headers.has(name.toLowerCase())) throw new MalformedFormError(`A part has two headers ${name.slice(0, 100)}.`);
    headers.set(name.toLowerCase(), value!.trim());
  }
  return headers;
}

function readDisposition(headers: ReadonlyMap<string, string>): { name: string; filename: string | undefined } {
  const disposition = parseParameters(headers.get('content-disposition') ?? '');
  if (disposition?.value !== 'form-data')
    throw new MalformedFormError('A part of the form has no valid Content-Disposition of type form-data.');
  const { parameters } = disposition;
  const name = parameters.get('name');
  if (!name) throw new MalformedFormError('A part of the form has no name.');
  const extended = parameters.get('filename*');
  const plain = parameters.get('filename');
  const filename = extended === undefined ? plain && decodeFileName(unescapeName(plain)) : decodeExtended(extended);
  requireUtf8(name, 'The name of a field');
  return { name: unescapeName(name), filename };
}

/** Browsers escape these three characters (WHATWG HTML, section 4.10.22.8), and no others. */
function unescapeName(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0d/gi, '\r').replace(/%0a/gi, '\n');
}

/** A text such as `UTF-8''B%C3%A4r.png` (RFC 8187). */
function decodeExtended(text: string): string {
  const [, encoded] = /^utf-8'[^']*'((?:[^%]|%[0-9a-f]{2})*)$/i.exec(text) ?? [];
  if (encoded === undefined)
    throw new MalformedFormError('The filename* of a part is not percent-encoded UTF-8 (RFC 8187).');
  const latin1 = encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(latin1, 'latin1').toString();
}

/** Invalid bytes would be stored as replacement characters. @throws {MalformedFormError} */
export function requireUtf8(text: string, what: string): void {
  if (text.includes('\uFFFD')) throw new MalformedFormError(`${what} is not valid UTF-8.`);
}
