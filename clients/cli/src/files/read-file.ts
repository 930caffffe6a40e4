import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EXIT, UsageError } from '../exit-codes.js';
import { type Io, toAbsolute } from '../io.js';

/** The error of a file that the user has named. @param what begins the sentence, `advice` ends it */
export const unreadable = (what: string, advice = ''): UsageError =>
  new UsageError(`${what} does not exist or cannot be read.${advice}`, EXIT.failure, 'no_file');

/** @throws {UsageError} */
export function readBytes(path: string, io: Io, what = `The file ${path}`, advice?: string): Promise<Buffer> {
  return readFile(toAbsolute(path, io)).catch(() => {
    throw unreadable(what, advice);
  });
}

/** @param path `-` for standard input @throws {UsageError} */
export async function readText(path: string, io: Io, what?: string, advice?: string): Promise<string> {
  return path === '-' ? text(io.stdin) : (await readBytes(path, io, what, advice)).toString('utf8');
}
