import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseStoredJson } from '../../platform/stored-json.js';
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

/** The shell sets the limits, and then becomes the process. A lower limit that is already set remains. */
const WITH_LIMITS = `ulimit -c 0; ulimit -d ${MEMORY_KIB}; ulimit -t ${CPU_S}; exec "$0" "$@"`;

/** What the process could read of an image. */
export interface DecodedImage {
  /** In pixels, after the rotation that the image's metadata requests. */
  size?: { width: number; height: number };
  thumbnail?: Buffer;
  /** Why the image has no thumbnail. */
  reason?: string;
}

/**
 * Decodes an image in a process of its own (src/image-process/main.ts), which has no secrets and limited memory and
 * time. libvips aborts its process if memory is not available, so the end of the process by a signal means an image
 * that cannot be decoded.
 *
 * @throws {Error} if the process cannot be started.
 */
export async function decodeImage(image: Buffer): Promise<DecodedImage> {
  const program = join(dirname(process.argv[1]!), 'image-process/main.js');
  const running = promisify(execFile)('/bin/sh', ['-c', WITH_LIMITS, process.execPath, ...NODE_OPTIONS, program], {
    encoding: 'buffer',
    env: ENVIRONMENT,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  // A process without file descriptors for its pipes has no `stdin`; `running` then rejects.
  const { stdin } = running.child;
  // A process that has ended does not read the rest of the image.
  if (stdin) ignoreErrors(stdin);
  stdin?.end(image);
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
function parseOutput(output: Buffer): DecodedImage {
  const end = output.indexOf(NEW_LINE);
  if (end < 0) return {};
  const size = parseStoredJson(output.toString('utf8', 0, end)) as { width: number; height: number };
  return { size, thumbnail: output.subarray(end + 1) };
}
