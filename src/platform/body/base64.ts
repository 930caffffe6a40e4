import { InvalidRequestError } from '../http/domain-error.js';

/** Characters that are decoded at once; whole groups of four. */
const CHUNK = 256 * 1024;

/** With the type as a browser's FileReader writes it, which may have parameters such as `codecs=opus`. */
const DATA_URI = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.-]+=(?:"[^"]*"|[^",;]*))*;base64,/i;
const MAX_DATA_URI_HEAD = 300;

/** Base64 in a text, which may begin with the head of a data URI. */
export interface Base64Text {
  text: string;
  /** Where the base64 begins. */
  start: number;
}

/** @throws {InvalidRequestError} for a data URI of another form. */
export function base64In(text: string, field: string): Base64Text {
  const head = text.slice(0, MAX_DATA_URI_HEAD);
  if (!/^data:/i.test(head)) return { text, start: 0 };
  const found = DATA_URI.exec(head);
  if (found) return { text, start: found[0].length };
  throw invalid(field, `${field} must be base64, or a data URI of the form data:<type>;base64,<data>.`);
}

/** Bytes that the base64 stands for. */
export function sizeOf({ text, start }: Base64Text): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor(((text.length - start) * 3) / 4) - padding);
}

/**
 * Decodes in chunks, strictly as RFC 4648 (section 4) has it. Node's decoder takes nearly everything, so that what it
 * made is written as base64 again and held against the text.
 *
 * @throws {InvalidRequestError} naming the field.
 */
export function* decoded({ text, start }: Base64Text, field: string): Generator<Buffer> {
  for (let at = start; at < text.length; at += CHUNK) {
    const chunk = text.slice(at, at + CHUNK);
    const bytes = Buffer.from(chunk, 'base64');
    const isLast = at + CHUNK >= text.length;
    if (bytes.toString('base64') !== chunk || (!isLast && chunk.endsWith('='))) {
      const rule = 'A-Z, a-z, 0-9, + and /, padded with =, without line breaks';
      throw invalid(field, `${field} must be base64 (RFC 4648, section 4): ${rule}.`);
    }
    yield bytes;
  }
}

function invalid(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'invalid_base64', message }], message);
}
