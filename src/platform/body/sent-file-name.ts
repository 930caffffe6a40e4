import { Base64Decoder } from './base64.js';
import { findCharset } from './charset.js';

/** One encoded word of RFC 2047, and the blanks before the next one. */
const ENCODED_WORD = /=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([BbQq])\?([^?\s]*)\?=(?:\s+(?==\?))?/y;

/**
 * The name that a sender has encoded for a header of ASCII: with encoded words (RFC 2047), as mail programs do,
 * or percent-encoded UTF-8, as browser extensions and Java libraries do. A name with an ASCII text in percent-encoding,
 * such as `50%20off.png`, may be meant as it is, so it remains.
 */
export function decodeFileName(name: string): string {
  return decodeWords(name) ?? decodePercents(name) ?? name;
}

/** @returns undefined unless the whole name consists of encoded words in known charsets */
function decodeWords(name: string): string | undefined {
  if (!name.startsWith('=?')) return undefined;
  let decoded = '';
  let at = 0;
  while (at < name.length) {
    ENCODED_WORD.lastIndex = at;
    const [word, label = '', encoding = '', text = ''] = ENCODED_WORD.exec(name) ?? [];
    const bytes = encoding.toLowerCase() === 'b' ? decodeBase64(text) : decodeQ(text);
    const part = word === undefined ? undefined : bytes && findCharset(label)?.decode(bytes);
    if (part === undefined) return undefined;
    decoded += part;
    at += word!.length;
  }
  return decoded;
}

function decodeBase64(text: string): Buffer | undefined {
  try {
    const decoder = new Base64Decoder('filename');
    return Buffer.concat([decoder.add(text), decoder.end()]);
  } catch {
    return undefined;
  }
}

function decodeQ(text: string): Buffer {
  const latin1 = text.replaceAll('_', ' ').replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => {
    return String.fromCharCode(parseInt(code, 16));
  });
  return Buffer.from(latin1, 'latin1');
}

function decodePercents(name: string): string | undefined {
  if (!name.includes('%')) return undefined;
  try {
    const decoded = decodeURIComponent(name);
    // Text beyond ASCII in valid UTF-8 shows that the sender has encoded it.
    return /[^\x20-\x7e]/.test(decoded) && /^[\x20-\x7e]*$/.test(name) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
