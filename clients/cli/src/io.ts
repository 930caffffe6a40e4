import { isAbsolute, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

export type InputStream = Readable & { readonly isTTY?: boolean };
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All that a command uses of its process, so that several commands can run in one process. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of relative paths. */
  readonly cwd: string;
  /** From the first call on, Ctrl-C aborts the signal instead of ending the process. */
  readonly catchInterrupt: () => AbortSignal;
  /** From the first call on, the process ends as soon as the reader of its output has ended, for example `head`. */
  readonly endWithStdout: () => void;
}

/** The path of a file that the user has named. The operating system rejects an empty path. */
export function toAbsolute(path: string, io: Io): string {
  return path === '' || isAbsolute(path) ? path : join(io.cwd, path);
}

/** Writes the body of a response. Standard output remains open. The reader of a pipe may end. */
export async function writeBody(body: unknown, target: Writable, end = false): Promise<void> {
  await pipeline(Readable.fromWeb(body as ReadableStream), target, { end }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  });
}
