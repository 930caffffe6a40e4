import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { MalformedFormError } from '../../../platform/body/body.errors.js';

/** Bytes of the headers of a part. */
const MAX_HEADER_BYTES = 16 * 1024;
const LINE_END = Buffer.from('\r\n');

/** A part of a form in a file: its headers, and the range of its bytes. */
export interface FormPart {
  name: string;
  headers: Readonly<Record<string, string>>;
  start: number;
  /** Behind the last byte. */
  end: number;
}

/**
 * Reads the parts of a form (RFC 7578) that was received into a file. Their content is not read into the memory.
 *
 * @throws {MalformedFormError}
 */
export async function readFormParts(path: string, contentType: string, maxParts: number): Promise<FormPart[]> {
  const [, quoted, token] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw new MalformedFormError('The Content-Type has no boundary.');
  const delimiters = await scanDelimiters(path, Buffer.from(`\r\n--${boundary}`), maxParts + 1);
  const file = await open(path);
  try {
    const parts: FormPart[] = [];
    for (const [position, { after }] of delimiters.entries()) {
      const next = delimiters[position + 1];
      const head = await readAt(file, after, next ? Math.min(MAX_HEADER_BYTES, next.before - after) : 2);
      if (head.subarray(0, 2).toString('latin1') === '--') return parts;
      if (!next) break;
      parts.push(toPart(head, after, next.before));
    }
  } finally {
    await file.close();
  }
  throw new MalformedFormError('The form has no end, or more parts than tables are allowed.');
}

/** Reads the content of one part into the memory. */
export async function readPart(path: string, { start, end }: FormPart): Promise<string> {
  return start === end ? '' : text(createReadStream(path, { start, end: end - 1 }));
}

/** The positions before and after each delimiter. */
async function scanDelimiters(
  path: string,
  delimiter: Buffer,
  limit: number,
): Promise<{ before: number; after: number }[]> {
  const found: { before: number; after: number }[] = [];
  // The first delimiter has no line end before it.
  let rest = LINE_END;
  let position = -LINE_END.length;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(delimiter); at >= 0 && found.length <= limit; at = bytes.indexOf(delimiter, from)) {
      from = at + delimiter.length;
      found.push({ before: position + at, after: position + from });
    }
    rest = bytes.subarray(Math.max(from, bytes.length - delimiter.length + 1));
    position += bytes.length - rest.length;
  }
  return found;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function toPart(head: Buffer, start: number, end: number): FormPart {
  // A position in bytes: text that is not UTF-8, such as a file name, has another length once it is decoded.
  const headersEnd = head.indexOf('\r\n\r\n');
  if (headersEnd < 0) throw new MalformedFormError('A part of the form has no headers, or too long ones.');
  const headers: Record<string, string> = {};
  for (const line of head.toString('utf8', 0, headersEnd).split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  const [, quoted, token] =
    /^form-data\s*;.*?\bname=(?:"([^"]*)"|([^\s;]+))/i.exec(headers['content-disposition'] ?? '') ?? [];
  const name = quoted ?? token;
  if (name === undefined)
    throw new MalformedFormError('A part of the form has no valid Content-Disposition of type form-data.');
  // Browsers and curl escape quotes and line ends in this way.
  const decoded = name.replaceAll('%22', '"').replaceAll('\\"', '"');
  return { name: decoded, headers, start: start + headersEnd + 4, end };
}
