import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';
import { ignoreErrors } from '../../platform/listeners.js';

/** Limit of the memory of the process, in KiB: ordinary photos need less than half of it. */
const MEMORY_KIB = 250_000;

/** Limit of its CPU time, in seconds. */
const CPU_S = 10;

/** Limit of its duration on a busy computer, shorter than the lease of a preview. */
const TIMEOUT_MS = 50_000;

/** Thumbnails are smaller by far. */
const MAX_OUTPUT_BYTES = 4_000_000;

const NEW_LINE = 10;

/**
 * The threads of Node and of libvips reserve memory for their stacks, and the compiler of Node 24 reserves 512 MB for
 * its code, which the limit of memory includes. The program calls libvips; little of its time is spent in JavaScript.
 */
const NODE_OPTIONS = ['--jitless', '--max-old-space-size=64', '--max-semi-space-size=1', '--v8-pool-size=1'];
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1' };

const PROGRAM = join(import.meta.dirname, '../../image-process/main.js');

/** The shell sets the limits, and then becomes the process. A lower limit that is already set remains. */
const WITH_LIMITS = `ulimit -c 0; ulimit -d ${MEMORY_KIB}; ulimit -t ${CPU_S}; exec "$0" "$@"`;

/** What the process could read of a file. */
export interface DecodedFile {
  /** In pixels, after the rotation that the image's metadata requests. */
  size?: { width: number; height: number };
  thumbnail?: Buffer;
  /** Has a recording audio and no video? */
  isAudioOnly?: boolean;
  /** Why the file could not be read. */
  reason?: string;
}

/**
 * Decodes an image, or reads the tracks of a recording, in a process of its own (src/image-process/main.ts), which has
 * no secrets and limited memory and time. libvips aborts its process if memory is not available, so the end of the
 * process by a signal means a file that cannot be read.
 *
 * @param containerType of a recording.
 * @throws {Error} if the process cannot be started.
 */
export async function decodeFile(bytes: Buffer, containerType?: string): Promise<DecodedFile> {
  const command = [process.execPath, ...NODE_OPTIONS, PROGRAM, ...(containerType ? [containerType] : [])];
  const running = promisify(execFile)('/bin/sh', ['-c', WITH_LIMITS, ...command], {
    encoding: 'buffer',
    env: ENVIRONMENT,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  // A process without file descriptors for its pipes has no `stdin`; `running` then rejects.
  const { stdin } = running.child;
  // A process that has ended does not read the rest of the file.
  if (stdin) ignoreErrors(stdin);
  stdin?.end(bytes);
  try {
    return parseOutput((await running).stdout);
  } catch (error) {
    const failure = error as { syscall?: string; stdout: Buffer; stderr: Buffer; signal?: string; code?: unknown };
    if (failure.syscall) throw error;
    const { size } = parseOutput(failure.stdout);
    const [lastLine] = /[^\n]*Error: [^\n]*/.exec(failure.stderr.toString()) ?? [];
    return { size, reason: lastLine ?? `ended with ${failure.signal ?? String(failure.code)}` };
  }
}

/** The output is incomplete if the process did not succeed. */
function parseOutput(output: Buffer): DecodedFile {
  const end = output.indexOf(NEW_LINE);
  if (end < 0) return {};
  const read = parseStoredJson(output.toString('utf8', 0, end)) as DecodedFile;
  if (read.size) read.thumbnail = output.subarray(end + 1);
  return read;
}
