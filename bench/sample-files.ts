import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import type { Form } from './connection.js';

const CRLF = Buffer.from('\r\n');

/** A photo of about 100 KB, as a telephone sends it after a messenger has made it small. */
export async function samplePhoto(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const image = { width: 860, height: 525, channels: 3, background: '#000', noise } as const;
  return sharp({ create: image }).jpeg({ quality: 60 }).toBuffer();
}

/** The same image, as another file: what stands behind its end is not shown, and no storage has seen it before. */
export function another(image: Buffer): Buffer {
  return Buffer.concat([image, randomBytes(16)]);
}

/** A form with a title and these files, its content as it is: nothing is copied. */
export function formOf(title: string, files: readonly Buffer[]): Form {
  const boundary = `bench-${randomBytes(12).toString('hex')}`;
  const head = (disposition: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`);
  const parts: Buffer[] = [head('name="title"'), Buffer.from(title), CRLF];
  files.forEach((file, at) => parts.push(head(`name="files"; filename="${at}.jpg"`), file, CRLF));
  return { boundary, parts: [...parts, Buffer.from(`--${boundary}--\r\n`)] };
}
