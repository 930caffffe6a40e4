import { UnsupportedMediaTypeError } from '../../../packages/errors/src/domain-error.js';
import { Base64Decoder } from './base64.js';
import { MalformedFormError } from './body.errors.js';
import { requireCharset } from './charset.js';
import type { FormPart } from './multipart-reader.js';

/** Encodings in which a part is as it was sent. */
const PLAIN: readonly string[] = ['', '7bit', '8bit', 'binary'];

/** The `Content-Transfer-Encoding` of a part, which senders of mail programs write (RFC 7578, section 4.7). */
export function readTransferEncoding({ name, headers }: FormPart): 'base64' | 'quoted-printable' | undefined {
  const encoding = (headers.get('content-transfer-encoding') ?? '').toLowerCase();
  if (encoding === 'base64' || encoding === 'quoted-printable') return encoding;
  if (PLAIN.includes(encoding)) return undefined;
  const sent = encoding.slice(0, 100);
  throw new UnsupportedMediaTypeError(
    `The Content-Transfer-Encoding "${sent}" of ${describeField(name)} is not accepted.`,
  );
}

/** The content of a file. @throws {DomainError} for an encoding that is not accepted, or a malformed content */
export async function* decodeFile(part: FormPart, field: string): AsyncGenerator<Buffer> {
  const encoding = readTransferEncoding(part);
  if (encoding === 'quoted-printable') {
    const message = `The Content-Transfer-Encoding "${encoding}" of ${describeField(part.name)} is accepted only for texts.`;
    throw new UnsupportedMediaTypeError(message);
  }
  if (encoding === undefined) {
    yield* part.content;
    return;
  }
  const decoder = new Base64Decoder(field);
  for await (const chunk of part.content) yield decoder.add(chunk.toString('latin1'));
  yield decoder.end();
}

/**
 * The text of a field, with LF for the CRLF with which browsers send each line break.
 *
 * @param bytes the content of the part. @throws {DomainError} naming the charset, the encoding or the field
 */
export function decodeText(part: FormPart, bytes: Buffer): string {
  const { name, headers } = part;
  const charset = requireCharset(headers.get('content-type'), describeField(name));
  const text = charset.decode(decodeBytes(part, bytes));
  if (text !== undefined) return text.replaceAll('\r\n', '\n');
  throw new MalformedFormError(`The field "${name.slice(0, 100)}" is not valid ${charset.name.toUpperCase()}.`, name);
}

function decodeBytes(part: FormPart, bytes: Buffer): Buffer {
  switch (readTransferEncoding(part)) {
    case 'base64': {
      const decoder = new Base64Decoder(part.name.slice(0, 100));
      return Buffer.concat([decoder.add(bytes.toString('latin1')), decoder.end()]);
    }
    case 'quoted-printable':
      return decodeQuotedPrintable(part, bytes);
    default:
      return bytes;
  }
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** RFC 2045, section 6.7. White space at the end of a line was added on the way. */
function decodeQuotedPrintable({ name }: FormPart, bytes: Buffer): Buffer {
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  /** The length without white space at the end. */
  let kept = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const isBreak = byte === CR && bytes[at + 1] === LF;
    if (isBreak) length = kept;
    if (byte === EQUALS) {
      const code = /^[0-9A-Fa-f]{2}$/.exec(bytes.toString('latin1', at + 1, at + 3));
      const next = code ? at + 2 : findLineEnd(bytes, at + 1);
      if (next === undefined)
        throw new MalformedFormError(`The field "${name.slice(0, 100)}" is not valid quoted-printable.`, name);
      if (code) decoded[length++] = parseInt(code[0], 16);
      at = next;
    } else decoded[length++] = byte;
    if (isBreak) decoded[length++] = bytes[++at]!;
    if (byte !== SPACE && byte !== TAB) kept = length;
  }
  return decoded.subarray(0, kept);
}

/** The last byte of a line that has only white space; undefined if it has more. */
function findLineEnd(bytes: Buffer, start: number): number | undefined {
  let at = start;
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (at === bytes.length) return at;
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 1 : undefined;
}

const describeField = (name: string) => `the form field "${name.slice(0, 100)}"`;
