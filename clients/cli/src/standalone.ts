/** The command line as a process. Only this file uses the global state of the process. */
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import { reportFailure } from './failure.js';
import type { Io } from './io.js';
import { main } from './main.js';

const args = process.argv.slice(2);
const interruption = new AbortController();
let endsWithStdout = false;
let outputError: Error | undefined;

const io: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get cwd() {
    return process.cwd();
  },
  catchInterrupt,
  endWithStdout: () => {
    endsWithStdout = true;
  },
};

function catchInterrupt(): AbortSignal {
  for (const name of ['SIGINT', 'SIGTERM'] as const) if (process.listenerCount(name) === 0) process.on(name, interrupt);
  return interruption.signal;
}

/** A second signal ends the process at once. */
function interrupt(): void {
  if (interruption.signal.aborted) process.exit(EXIT.interrupted);
  interruption.abort(new UsageError('Interrupted.'));
}

/** A load is completed although its output cannot be written. A reader such as head that ends is not a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputError ??= error;
  if (endsWithStdout) process.exit(findExitCode(EXIT.success));
});
process.stderr.on('error', () => undefined);

function findExitCode(code: ExitCode): ExitCode {
  return outputError && code === EXIT.success ? reportFailure(outputError, args.includes('--json'), io) : code;
}

const exitCode = await main(args, io);
for (const stream of [process.stdout, process.stderr]) await new Promise((done) => stream.write('', done));
// The process does not wait for a request whose response is not needed any more.
process.exit(findExitCode(exitCode));
