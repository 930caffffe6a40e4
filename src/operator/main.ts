import { CommanderError } from 'commander';
import { createProgram } from './program.js';

/** What shells expect of a command that was called wrongly. */
const USAGE_EXIT = 2;

// A reader such as `head` may leave before the end; what was asked for has been done all the same.
process.stdout.on('error', () => undefined);

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has said by itself what was wrong, or has printed the help that was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT;
  else process.exitCode = (await import('./failure.js')).reportFailure(error);
}
