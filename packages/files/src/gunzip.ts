import { pipeline, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';

const CHUNK_BYTES = 64 * 1024;

/** The bytes are not complete gzip. */
export class GzipError extends Error {}

/**
 * Decompresses gzip of one or more members. Only zeros may follow the last one.
 *
 * @throws {GzipError}
 */
export async function* gunzip(compressed: Readable): AsyncGenerator<Buffer, void> {
  const engine = createGunzip({ chunkSize: CHUNK_BYTES });
  let received = 0;
  // The position after the last byte that is not zero.
  let end = 0;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const last = chunk.findLastIndex((byte) => byte !== 0);
      if (last >= 0) end = received + last + 1;
      received += chunk.length;
      done(null, chunk);
    },
  });
  // The engine ends at the first zero after a member, and ignores what follows.
  const checked = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      done(null, chunk);
    },
    flush: (done) => {
      const check = () => {
        done(end > engine.bytesWritten ? new GzipError('Data follows the zeros after a member.') : null);
      };
      if (measured.writableFinished) check();
      else measured.once('finish', check);
    },
  });
  try {
    // The reader of the last stream receives the error of any of them.
    yield* pipeline(compressed, measured, engine, checked, () => undefined) as AsyncIterable<Buffer>;
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    // The engine has ended at a zero, and then found a member in the next chunk.
    const isLate = code === 'ERR_STREAM_PUSH_AFTER_EOF';
    throw isLate || code.startsWith('Z_') ? new GzipError(code, { cause: error }) : error;
  }
}
