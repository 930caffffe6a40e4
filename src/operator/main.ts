import { runCommand } from './run.js';
import { listen } from '../platform/listeners.js';

let outputError: NodeJS.ErrnoException | undefined;
// A reader such as `head` may close the pipe early. The command is executed, also if its output cannot be written.
listen(process.stdout, 'error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') outputError ??= error;
});

const code = await runCommand(process.argv.slice(2));
await new Promise((done) => process.stdout.write('', done));
process.exitCode = outputError && code === 0 ? (await import('./failure.js')).reportFailure(outputError) : code;
