/** The command line as a process. Only this file uses the global state of the process. */
import { EXIT, UsageError } from './exit-codes.js';
import { reportFailure } from './failure.js';
import type { Io } from './io.js';
import { main } from './main.js';

const interruption = new AbortController();

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

const args = process.argv.slice(2);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as head that has read enough is not a failure.
  process.exit(error.code === 'EPIPE' ? EXIT.success : reportFailure(error, args.includes('--json'), io));
});
const exitCode = await main(args, io);
for (const stream of [process.stdout, process.stderr]) await new Promise((done) => stream.write('', done));
// The process does not wait for a request whose response is not needed any more.
process.exit(exitCode);
