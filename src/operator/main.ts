import { runCommand } from './run.js';

// A reader such as `head` may close the pipe early; the command is still executed.
process.stdout.on('error', () => undefined);

process.exitCode = await runCommand(process.argv.slice(2));
