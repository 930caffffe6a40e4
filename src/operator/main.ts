import { CommanderError } from 'commander';
import { createProgram } from './program.js';

/** Conventional exit code for wrong usage. */
const USAGE_EXIT = 2;

// A reader such as `head` may close the pipe early; the command is still executed.
process.stdout.on('error', () => undefined);

try {
  await createProgram().parseAsync();
} catch (error) {
  // Commander has already printed the error or the requested help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT;
  else process.exitCode = (await import('./failure.js')).reportFailure(error);
}
