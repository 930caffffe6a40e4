import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import type { Form } from './connection.js';

const CRLF = Buffer.from('\r\n');

/** A photo of about 100 KB, like one that a messenger has reduced. */
export async function samplePhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const image = { width: 860, height: 525, channels: 3, background: '#000', noise } as const;
  return sharp({ create: image }).jpeg({ quality: 60 }).toBuffer();
}

/** Appends random bytes behind the end of the image: the same image, but a file that no storage contains. */
export function makeUnique(image: Buffer): Buffer {
  return Buffer.concat([image, randomBytes(16)]);
}

/** A form with a title and these files. The bytes of the files are not copied. */
export function buildForm(title: string, files: readonly Buffer[]): Form {
  const boundary = `bench-${randomBytes(12).toString('hex')}`;
  const head = (disposition: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`);
  const parts: Buffer[] = [head('name="title"'), Buffer.from(title), CRLF];
  files.forEach((file, index) => parts.push(head(`name="files"; filename="${index}.jpg"`), file, CRLF));
  return { boundary, parts: [...parts, Buffer.from(`--${boundary}--\r\n`)] };
}
