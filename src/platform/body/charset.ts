import { TextDecoder } from 'node:util';
import { UnsupportedMediaTypeError } from '../../../packages/errors/src/domain-error.js';

/** The parameter of a Content-Type, with or without quotes. */
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/i;

/** Labels of ASCII, whose senders write UTF-8; for the WHATWG Encoding Standard they are labels of windows-1252. */
const ASCII_LABELS: readonly string[] = ['us-ascii', 'ascii', 'ansi_x3.4-1968', 'iso-ir-6'];

const UTF8 = 'utf-8';

/** The characters of the bytes 0x80 to 0x9f in windows-1252, which the decoder of Node 20 takes for ISO 8859-1. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** A charset in which bodies and fields of forms are accepted. */
export interface Charset {
  /** The name in the WHATWG Encoding Standard. */
  readonly name: string;
  /** @returns undefined if the bytes are not text in this charset. A byte order mark is removed. */
  decode(bytes: Uint8Array): string | undefined;
}

/** The charset of a Content-Type; undefined if it has none. */
export function readCharset(contentType: string): string | undefined {
  const [, quoted, token] = CHARSET.exec(contentType) ?? [];
  return quoted ?? token;
}

/** The charset of a Content-Type, as it is written, unless it is missing or has the expected name. */
export function findOtherCharset(contentType: string, expected = UTF8): string | undefined {
  const label = readCharset(contentType);
  return label === undefined || findCharset(label)?.name === expected ? undefined : label;
}

/**
 * The charset of a Content-Type, by its label in the WHATWG Encoding Standard; UTF-8 if it has none.
 *
 * @param what has the Content-Type, such as `the form field "title"`; for the message.
 * @throws {UnsupportedMediaTypeError} naming the charset
 */
export function requireCharset(contentType: string | undefined, what?: string): Charset {
  const label = readCharset(contentType ?? '') ?? UTF8;
  const charset = findCharset(label);
  if (charset) return charset;
  const of = what === undefined ? '' : ` of ${what}`;
  throw new UnsupportedMediaTypeError(`The charset "${label.slice(0, 100)}"${of} is not accepted. Send UTF-8.`);
}

export const isUtf8Charset = ({ name }: Charset): boolean => name === UTF8;

/** @returns undefined for an unknown label */
export function findCharset(label: string): Charset | undefined {
  const known = label.trim().toLowerCase();
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(ASCII_LABELS.includes(known) ? UTF8 : known, { fatal: true });
  } catch {
    return undefined;
  }
  const { encoding: name } = decoder;
  return { name, decode: name === 'windows-1252' ? decodeWindows1252 : (bytes) => decode(decoder, bytes) };
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!);
}
