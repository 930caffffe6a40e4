import { Command, CommanderError } from '@commander-js/extra-typings';
import { addApiCommand } from './commands/api.js';
import { addAuditCommands } from './commands/audit.js';
import { addBatchCommands } from './commands/batches.js';
import { addCompletionCommands } from './commands/completion.js';
import { addEventCommands } from './commands/events.js';
import { addExportCommand } from './commands/export.js';
import { addFileCommands } from './commands/files.js';
import { addFollowCommand } from './commands/follow.js';
import { addHistoryCommands } from './commands/history.js';
import { addKeyCommands } from './commands/keys.js';
import { addMcpCommand } from './commands/mcp.js';
import { addNoteCommands } from './commands/notes.js';
import { addPolicyCommands } from './commands/policies.js';
import { addProposalCommands } from './commands/proposals.js';
import { addQueryCommand } from './commands/query.js';
import { addRowCommands } from './commands/rows.js';
import { addSearchCommand } from './commands/search.js';
import { addSessionCommands } from './commands/session.js';
import { addTableCommands } from './commands/tables.js';
import { EXIT, EXIT_CODES_HELP, type ExitCode, UsageError } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { addExamples, findGlobalFlags, toTerm } from './help.js';
import type { Io } from './io.js';
import { writeText } from './output.js';
import { type Program, Runner } from './runner.js';

/** The commands, in the order of the help. A group has a file, which loads what only one of its commands needs. */
const GROUPS: readonly ((program: Program, runner: Runner) => void)[] = [
  addSessionCommands,
  addTableCommands,
  addRowCommands,
  addExportCommand,
  addQueryCommand,
  addHistoryCommands,
  addSearchCommand,
  addBatchCommands,
  addProposalCommands,
  addFollowCommand,
  addFileCommands,
  addEventCommands,
  addKeyCommands,
  addPolicyCommands,
  addAuditCommands,
  addNoteCommands,
  addApiCommand,
  addMcpCommand,
  addCompletionCommands,
];

/** Of a help that is not on a terminal. */
const HELP_WIDTH = 80;

/** Parses the arguments and executes a command. @returns the exit code of the process */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  const asJson = args.includes('--json');
  const runner = new Runner(io);
  try {
    await createProgram(asJson, io, runner).parseAsync(args, { from: 'user' });
    return runner.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, asJson, io);
    if (error.exitCode === 0) return EXIT.success;
    // The message was printed, unless it is expected as JSON.
    const usage = new UsageError(error.message.replace(/^error: /, ''));
    return asJson ? reportFailure(usage, asJson, io) : EXIT.failure;
  }
}

export function createProgram(asJson: boolean, io: Io, runner = new Runner(io)): Program {
  const program: Program = new Command('atrium')
    .description('Imports, exports and synchronises tables of an Atrium workspace.')
    .version('0.1.0')
    .option('--json', 'print results and errors as JSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--profile <profile>', 'use this profile (ATRIUM_PROFILE)')
    .addHelpText('after', EXIT_CODES_HELP)
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: findGlobalFlags, subcommandTerm: toTerm })
    // Commands inherit the next three.
    .showHelpAfterError('--help after the command shows its flags and examples.')
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => (asJson ? undefined : writeText(io.stderr, text)),
      getOutHelpWidth: () => io.stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? HELP_WIDTH,
    })
    .exitOverride();
  for (const add of GROUPS) add(program, runner);
  addExamples(program);
  return program;
}
