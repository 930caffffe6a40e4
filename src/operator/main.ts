import { runCommand } from './run.js';
import { ignoreErrors } from '../platform/listeners.js';

// A reader such as `head` may close the pipe early; the command is still executed.
ignoreErrors(process.stdout);

process.exitCode = await runCommand(process.argv.slice(2));
