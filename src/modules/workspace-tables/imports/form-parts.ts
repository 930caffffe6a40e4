import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { MalformedFormError } from '../../../platform/body/body.errors.js';
import { requireCharset } from '../../../platform/body/charset.js';
import { readTransferEncoding } from '../../../platform/body/form-texts.js';
import { MultipartReader, readBoundary, skip } from '../../../platform/body/multipart-reader.js';
import { UnsupportedMediaTypeError } from '../../../../packages/errors/src/domain-error.js';

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
 * @throws {MalformedFormError | UnsupportedMediaTypeError}
 */
export async function readFormParts(path: string, contentType: string, maxParts: number): Promise<FormPart[]> {
  const reader = new MultipartReader(createReadStream(path), readBoundary(contentType), maxParts);
  const parts: FormPart[] = [];
  for await (const part of reader.parts()) {
    const { name, headers, start, content } = part;
    const encoding = readTransferEncoding(part);
    if (encoding) {
      const message = `The Content-Transfer-Encoding "${encoding}" is not accepted here. Send the file as it is.`;
      throw new UnsupportedMediaTypeError(message);
    }
    await skip(content);
    parts.push({ name, headers: Object.fromEntries(headers), start, end: reader.end });
  }
  return parts;
}

/** Reads the text of one part into the memory. @throws {DomainError} for a charset that is not accepted */
export async function readPart(path: string, { name, headers, start, end }: FormPart): Promise<string> {
  const charset = requireCharset(headers['content-type'], `the part "${name.slice(0, 100)}"`);
  const bytes = start === end ? Buffer.alloc(0) : await buffer(createReadStream(path, { start, end: end - 1 }));
  const text = charset.decode(bytes);
  if (text !== undefined) return text;
  throw new MalformedFormError(`The part "${name.slice(0, 100)}" is not valid ${charset.name.toUpperCase()}.`, name);
}
