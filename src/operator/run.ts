import { CommanderError } from 'commander';
import { createProgram } from './program.js';

/** Conventional exit code for wrong usage. */
const USAGE_EXIT = 2;

/** Runs one command, which prints its output, or one line per error. @returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    // `attachments verify` sets the exit code if it found errors.
    const code = Number(process.exitCode ?? 0);
    process.exitCode = undefined;
    return code;
  } catch (error) {
    // Commander has already printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT;
    return (await import('./failure.js')).reportFailure(error);
  }
}
