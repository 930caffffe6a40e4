import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { unreadable } from '../files/read-file.js';
import { type Io, toAbsolute } from '../io.js';

/** A body up to this size is in memory, and is sent again if the service is busy. */
const MAX_REPEATABLE_BYTES = 16 * 1_024 * 1_024;

/** The body of `--input`: a larger one is sent once, while it is read. @param path `-` for standard input */
export async function readBody(path: string, io: Io): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const file = toAbsolute(path, io);
  const isReadable = path === '-' || !((await stat(file).catch(() => undefined))?.isDirectory() ?? true);
  if (!isReadable) throw unreadable(`The file ${path}`, ' Nothing was sent.');
  const input = path === '-' ? io.stdin : createReadStream(file);
  const chunks = input[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const start: Buffer[] = [];
  for (let bytes = 0; bytes <= MAX_REPEATABLE_BYTES;) {
    const next = await chunks.next();
    if (next.done) return new Uint8Array(Buffer.concat(start));
    start.push(next.value);
    bytes += next.value.length;
  }
  const all = async function* (): AsyncGenerator<Buffer, void> {
    yield* start;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  return Readable.toWeb(Readable.from(all())) as ReadableStream<Uint8Array>;
}
