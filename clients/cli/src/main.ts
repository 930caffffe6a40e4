import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { reportFailure } from './failure.js';
import { EXAMPLES } from './examples.js';
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import { FILE_KINDS } from './files/file-kinds.js';
import { parseDateFormat } from '../../../packages/tabular/src/dialect.js';
import { writeText } from './output.js';
import type { ImportCommandFlags } from './commands/import.js';
import type { InitFlags } from './commands/init.js';

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 rows rejected, 3 differences found (diff), 4 more deletions than allowed.`;

type Handler = (...values: never[]) => Promise<ExitCode> | Promise<void>;

/** Parses the command line and executes a command, whose module is loaded only then. @returns the exit code */
export async function run(argv: string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.success;
  /** Flags of the program and of the command are one object. */
  const execute =
    (load: () => Promise<Handler>) =>
    async (...values: unknown[]): Promise<void> => {
      const command = values.pop() as Command;
      values[values.length - 1] = command.optsWithGlobals();
      const handler = (await load()) as unknown as (...parameters: unknown[]) => Promise<ExitCode | undefined>;
      exitCode = (await handler(...values)) ?? EXIT.success;
    };
  const asJson = argv.includes('--json');
  const program = createProgram(execute, asJson);
  // A reader such as head that has read enough is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.success);
  });
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.success;
      return asJson ? reportFailure(new UsageError(error.message.replace(/^error: /, '')), asJson) : EXIT.failure;
    }
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.success;
    return reportFailure(error, asJson);
  }
  return exitCode;
}

type Execute = (load: () => Promise<Handler>) => (...values: unknown[]) => Promise<void>;

const entityOption = (): Option =>
  new Option('--entity <entity>', 'if several tables have the name').choices(['location', 'asset', 'list']);
/** @throws {InvalidArgumentError} */
function parseCount(value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('Write a number, for example 50.');
  return Number(value);
}
/** @param word a name for a character @throws {InvalidArgumentError} */
const parseCharacter =
  (word: string) =>
  (value: string): string => {
    if ([...value].length !== 1 && value !== word) throw new InvalidArgumentError(`Write one character, or ${word}.`);
    return value;
  };
/** @throws {InvalidArgumentError} */
function collectDateFormat(value: string, former: string[] = []): string[] {
  if (!parseDateFormat(value)) throw new InvalidArgumentError('Write YYYY, MM and DD, for example DD.MM.YYYY.');
  return [...former, value];
}
/** @throws {InvalidArgumentError} */
function parseMethod(value: string): string {
  const method = value.toUpperCase();
  if (!METHODS.includes(method)) throw new InvalidArgumentError(`Allowed choices are ${METHODS.join(', ')}.`);
  return method;
}
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const collect = (value: string, former: string[] = []): string[] => [...former, value];

/** Adds the examples of this command and of those below it. */
function addExamples(command: Command, path: string): void {
  const lines = EXAMPLES[path] ?? [];
  if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const child of command.commands) addExamples(child, `${path} ${child.name()}`.trim());
}

function createProgram(execute: Execute, asJson: boolean): Command {
  const program = new Command('atrium')
    .description('Imports, exports and synchronises tables of an Atrium workspace.')
    .version('1.0.0')
    .option('--json', 'print results and errors as JSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--profile <name>', 'use this profile (ATRIUM_PROFILE)')
    .addHelpText('after', EXIT_CODES)
    .configureHelp({ showGlobalOptions: true })
    // Commands inherit the next three.
    .showHelpAfterError('--help after the command shows its flags and examples.')
    .configureOutput({ writeErr: (text) => (asJson ? undefined : writeText(process.stderr, text)) })
    .exitOverride();
  addSessionCommands(program, execute);
  addTableCommands(program, execute);
  addFileCommands(program, execute);
  addEventCommands(program, execute);
  addOtherCommands(program, execute);
  addExamples(program, '');
  return program;
}

function addSessionCommands(program: Command, execute: Execute): void {
  program
    .command('login')
    .description('verify credentials and store them in a profile')
    .option('--url <url>', 'address of the service')
    .option('--client-id <id>')
    .option('--client-secret <secret>')
    .option('--api-key <key>', 'instead of client credentials')
    .option('--workspace <id>', 'ID or name of the workspace')
    .action(execute(async () => (await import('./commands/login.js')).login));
  program
    .command('logout')
    .description('end the session of the profile')
    .action(execute(async () => (await import('./commands/login.js')).logout));
  program
    .command('whoami')
    .description('show the caller, the service and the workspace')
    .action(execute(async () => (await import('./commands/login.js')).whoami));
  program
    .command('workspaces')
    .description('list your workspaces')
    .action(execute(async () => (await import('./commands/tables.js')).workspaces));
}

function addTableCommands(program: Command, execute: Execute): void {
  program
    .command('tables')
    .description('list the tables of the workspace')
    .addOption(entityOption())
    .action(execute(async () => (await import('./commands/tables.js')).tables));
  program
    .command('describe <table>')
    .description('show the columns of a table')
    .addOption(entityOption())
    .action(execute(async () => (await import('./commands/tables.js')).describe));
  program
    .command('export <table>')
    .description('write the rows of a table')
    .addOption(entityOption())
    .addOption(new Option('--format <format>', 'csv by default; ndjson with --json').choices(['csv', 'ndjson', 'xlsx']))
    .option('--filter <condition>', "for example 'weight>=100' or name~pump; repeatable", collect)
    .option('--under <key>', 'this row and its subtree')
    .option('--output <file>', 'instead of standard output')
    .action(execute(async () => (await import('./commands/export.js')).exportTable));
  program
    .command('batches [table]')
    .description('list bulk requests, imports and deletions, the newest first')
    .addOption(entityOption())
    .option('--limit <number>', 'newest batches', parseCount, 50)
    .action(execute(async () => (await import('./commands/batches.js')).batches));
  program
    .command('undo <id>')
    .description('show what the undo of a batch changes, and restore the former rows')
    .addOption(new Option('--on-conflict <mode>', 'leave rows as they are that were changed since').choices(['skip']))
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/batches.js')).undo));
  program
    .command('follow <table>')
    .description('print changes of a table as lines of JSON')
    .addOption(entityOption())
    .option('--since <revision>', 'begin after this revision; by default the current one')
    .option('--once', 'end after the changes so far')
    .action(execute(async () => (await import('./commands/follow.js')).follow));
}

/** How a file is read: what the file does not prove must be said. */
const withFormat = (command: Command): Command =>
  command
    .addOption(new Option('--format <format>', 'detected by default').choices(FILE_KINDS))
    .option('--layout <file>', 'fields of a file with fixed widths')
    .option('--encoding <name>', 'for example windows-1252 or utf-16le')
    .option('--delimiter <character>', 'between cells: a character, or tab', parseCharacter('tab'))
    .option('--quote <character>', 'around cells, or none; " by default', parseCharacter('none'))
    .option('--sheet <name>', 'of a workbook; the first visible one by default')
    .option('--header-row <line>', 'line of the header; 1 by default', parseCount)
    .addOption(new Option('--decimal <character>', 'decimal separator').choices(['.', ',']))
    .addOption(new Option('--thousands <character>', 'between groups of digits').choices(['.', ',', ' ', "'"]))
    .option('--date-format <format>', 'for example DD.MM.YYYY; repeatable', collectDateFormat);

const withSource = (command: Command): Command =>
  withFormat(command.addOption(entityOption()))
    .option('--mapping <file>', 'YAML or JSON: columns, types, formats, values')
    .option('--create', 'create the table, or add columns')
    .option('--key <column>', 'primary key of a new table; by default the first column, if its values are unique')
    .option('--dry-run', 'validate, and store nothing')
    .option('--max-deletions <limit>', 'rows that may be deleted: a number, or a share; 10% by default')
    .option('--under <key>', 'replace only this row and its subtree')
    .option('--filter <condition>', "replace only these rows, for example 'plant=1000'; repeatable", collect)
    .addOption(new Option('--on-error <mode>', 'store the valid rows').choices(['continue']))
    .addOption(new Option('--on-duplicate <rule>', 'for rows with the same key').choices(['error', 'first', 'last']))
    .option('--results <directory>', 'write created.csv, updated.csv, rejected.csv and summary.json')
    .option('--yes', 'do not ask');

function addFileCommands(program: Command, execute: Execute): void {
  withSource(program.command('import <file...>'))
    .description('store CSV, fixed-width, NDJSON or Excel files, also with gzip; - is standard input')
    .requiredOption('--table <name>')
    .option('--replace', 'delete the rows that the file lacks')
    .option('--resume', 'continue an interrupted import of the same file')
    .action(
      execute(async () => {
        const { importFiles } = await import('./commands/import.js');
        return (files: string[], flags: ImportCommandFlags) => importFiles(files, flags);
      }),
    );
  withSource(program.command('diff <file> <table>'))
    .description('compare a file with a table; exit code 3 if they differ')
    .action(execute(async () => (await import('./commands/diff.js')).diff));
  withSource(program.command('sync [file] [table]'))
    .description('show the differences and make the table equal to the file')
    .option('--config <file>', 'all tables of this file, in order')
    .action(execute(async () => (await import('./commands/sync.js')).syncCommand));
  withFormat(
    program
      .command('init')
      .description('print a mapping for a file of a system')
      .addArgument(new Argument('<system>').choices(['sap']))
      .argument('<file>'),
  ).action(
    execute(async () => {
      const { initMapping } = await import('./commands/init.js');
      return (_system: string, file: string, flags: InitFlags) => initMapping(file, flags);
    }),
  );
}

const withEvents = (command: Command): Command =>
  command
    .option('--types <types>', 'for example note.*,table.rows_changed')
    .option('--since <sequence>', 'begin after this event; by default after the latest')
    .option('--once', 'end after the events so far');

function addEventCommands(program: Command, execute: Execute): void {
  const events = program.command('events').description('print the events of the workspace');
  withEvents(events.command('tail'))
    .description('print events as lines of JSON')
    .action(execute(async () => (await import('./commands/events.js')).tailEvents));
  const webhooks = program.command('webhooks').description('develop receivers of webhooks');
  withEvents(webhooks.command('listen'))
    .description('send events to a local receiver, as signed webhooks')
    .requiredOption('--forward <url>', 'address of the receiver')
    .option('--secret <secret>', 'whsec_…; by default a new one is printed')
    .action(execute(async () => (await import('./commands/events.js')).listenToWebhooks));
}

function addOtherCommands(program: Command, execute: Execute): void {
  const notes = program.command('notes').description('list, show and create notes');
  notes
    .command('list')
    .description('list notes, the newest first')
    .option('--status <status>')
    .option('--under <key>', 'at this location and in its subtree')
    .option('--limit <number>', 'newest notes', parseCount, 50)
    .action(execute(async () => (await import('./commands/notes.js')).listNotes));
  notes
    .command('show <id>')
    .description('show a note')
    .action(execute(async () => (await import('./commands/notes.js')).showNote));
  notes
    .command('create')
    .description('create a note, with files')
    .requiredOption('--title <text>')
    .option('--description <text>')
    .option('--location <key>', 'key of a location')
    .option('--status <status>')
    .option('--priority <priority>')
    .option('--file <path>', 'photo, sound, video or PDF; repeatable', collect)
    .action(execute(async () => (await import('./commands/notes.js')).createNote));
  program
    .command('api')
    .description('send any request; {workspaceId} in the path is replaced')
    .addArgument(new Argument('<method>').argParser(parseMethod))
    .argument('<path>')
    .option('--field <name=value>', 'of the query or the JSON body; repeatable', collect)
    .option('--paginate', 'print all entries of a list as lines of JSON')
    .action(execute(async () => (await import('./commands/api.js')).api));
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .action(
      execute(async () => {
        const { printCompletion } = await import('./commands/completion.js');
        return (shell: string) => printCompletion(shell, program);
      }),
    );
}
