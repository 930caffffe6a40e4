import { Argument, Command, CommanderError, Option } from 'commander';
import { reportFailure } from './failure.js';
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import type { GlobalFlags } from './global-flags.js';
import { addExamples, findGlobalFlags, toTerm } from './help.js';
import type { Io } from './io.js';
import { asOfOption, momentOption, toTime } from './moments.js';
import {
  collect,
  entityOption,
  layoutOption,
  parseCount,
  withComparison,
  withEvents,
  withFormat,
  withLoad,
} from './options.js';
import { NAME_KINDS } from './completion/command-model.js';
import type { Shell } from './commands/completion.js';
import { writeText } from './output.js';

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 rows rejected, 3 differences found (diff), 4 more deletions than allowed,
5 the changes wait for approval, 130 Ctrl-C at a question.`;

/** Of a help that is not on a terminal. */
const HELP_WIDTH = 80;

type Handler = (...values: never[]) => Promise<ExitCode> | Promise<void>;

/** Makes the action of a command, whose module is loaded when it is executed. */
type Execute = (load: () => Promise<Handler>) => (...values: unknown[]) => Promise<void>;

/** Parses the arguments and executes a command. @returns the exit code of the process */
export async function main(args: readonly string[], io: Io): Promise<ExitCode> {
  const asJson = args.includes('--json');
  let exitCode: ExitCode = EXIT.success;
  // Flags of the program and of the command are one object.
  const execute: Execute =
    (load) =>
    async (...values) => {
      const command = values.pop() as Command;
      values[values.length - 1] = command.optsWithGlobals();
      const handler = (await load()) as unknown as (...parameters: unknown[]) => Promise<ExitCode | undefined>;
      exitCode = (await handler(...values, io)) ?? EXIT.success;
    };
  try {
    await createProgram(asJson, io, execute).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError))
      return (error as NodeJS.ErrnoException).code === 'EPIPE' ? EXIT.success : reportFailure(error, asJson, io);
    if (error.exitCode === 0) return EXIT.success;
    // The message was printed, unless it is expected as JSON.
    const usage = new UsageError(error.message.replace(/^error: /, ''));
    return asJson ? reportFailure(usage, asJson, io) : EXIT.failure;
  }
}

export function createProgram(asJson: boolean, io: Io, execute: Execute): Command {
  const program = new Command('atrium')
    .description('Imports, exports and synchronises tables of an Atrium workspace.')
    .version('0.1.0')
    .option('--json', 'print results and errors as JSON')
    .option('--quiet', 'print no progress and no remarks')
    .option('--profile <profile>', 'use this profile (ATRIUM_PROFILE)')
    .addHelpText('after', EXIT_CODES)
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
  addSessionCommands(program, execute);
  addTableCommands(program, execute);
  addFileCommands(program, execute);
  addEventCommands(program, execute);
  addKeyCommands(program, execute);
  addPolicyCommands(program, execute);
  addAuditCommands(program, execute);
  addOtherCommands(program, execute);
  addExamples(program);
  return program;
}

function addSessionCommands(program: Command, execute: Execute): void {
  program
    .command('login')
    .description('verify credentials and store them in a profile; on a terminal, ask for what is missing')
    .option('--url <url>', 'address of the service')
    .option('--client-id <id>', 'OAuth client of a member')
    .option('--client-secret <secret>', 'its secret; other processes see it')
    .option('--client-secret-stdin', 'read the client secret from standard input')
    .option('--api-key <key>', 'instead of client credentials')
    .option('--api-key-stdin', 'read the API key from standard input')
    .option('--demo', 'use the demo workspace of a service on this machine')
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
    .command('auth')
    .description('credentials for other programs')
    .command('token')
    .description('print an access token, or the API key of the profile')
    .action(execute(async () => (await import('./commands/login.js')).printToken));
  program
    .command('doctor')
    .description('check the profile, the service, the credentials and the workspace')
    .action(execute(async () => (await import('./commands/doctor.js')).doctor));
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
  addRowCommands(program, execute);
  program
    .command('export <table>')
    .description('write the rows of a table')
    .addOption(entityOption())
    .addOption(new Option('--format <format>', 'csv by default; ndjson with --json').choices(['csv', 'ndjson', 'xlsx']))
    .option('--filter <condition>', "for example 'weight>=100' or name~pump; repeatable", collect)
    .option('--under <key>', 'this row and its subtree')
    .addOption(asOfOption())
    .option('--output <file>', 'instead of standard output')
    .action(execute(async () => (await import('./commands/export.js')).exportTable));
  program
    .command('query <table>')
    .description('print rows, or groups of rows with counts and sums')
    .addOption(entityOption())
    .option('--where <condition>', "for example 'weight>=100' or location.name^=Cooling; repeatable", collect)
    .option('--group <columns>', 'for example plant,installed:month; repeatable', collect)
    .option('--count', 'number of rows of each group; the default')
    .option('--sum <columns>', 'repeatable, as all measures', collect)
    .option('--avg <columns>', 'mean value', collect)
    .option('--min <columns>', 'lowest value', collect)
    .option('--max <columns>', 'highest value', collect)
    .option('--count-distinct <columns>', 'number of different values', collect)
    .option('--having <condition>', "on groups and measures, for example 'count>=10'; repeatable", collect)
    .option('--sort <terms>', 'for example -count,plant; - means descending')
    .option('--fields <columns>', 'of rows; all by default')
    .option('--under <key>', 'this row and its subtree')
    .addOption(asOfOption())
    .option('--limit <number>', 'first rows or groups', parseCount, 100)
    .action(execute(async () => (await import('./commands/query.js')).query));
  addHistoryCommands(program, execute);
  program
    .command('search <words...>')
    .description('search rows, notes, projects, tours and tags')
    .option('--kinds <kinds>', 'only these of rows,notes,projects,tours,tags')
    .option('--tables <tables>', 'only rows of these tables, for example assets/Equipment')
    .option('--limit <number>', 'hits of each kind', parseCount, 10)
    .action(execute(async () => (await import('./commands/search.js')).search));
  program
    .command('batches [table]')
    .description('list bulk requests, imports, deletions and restorations, the newest first')
    .addOption(entityOption())
    .option('--limit <number>', 'newest batches', parseCount, 50)
    .action(execute(async () => (await import('./commands/batches.js')).batches));
  program
    .command('undo [id...]')
    .description('show what the undo of a batch or a load changes, and restore the former rows')
    .option('--results <directory>', 'the load that has written these results')
    .addOption(new Option('--on-conflict <mode>', 'leave rows as they are that were changed since').choices(['skip']))
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/batches.js')).undo));
  addProposalCommands(program, execute);
  program
    .command('follow <table>')
    .description('print changes of a table as lines of JSON')
    .addOption(entityOption())
    .option('--since <revision>', 'begin after this revision; by default the current one')
    .option('--once', 'end after the changes so far')
    .action(execute(async () => (await import('./commands/follow.js')).follow));
}

function addHistoryCommands(program: Command, execute: Execute): void {
  program
    .command('history <table> <key>')
    .description('list the changes of a row, the newest first: when, by whom, and which values')
    .addOption(entityOption())
    .option('--limit <number>', 'newest changes', parseCount, 50)
    .action(execute(async () => (await import('./commands/history.js')).history));
  program
    .command('restore <table>')
    .description('show what a restoration changes, and set rows back to a former moment')
    .addOption(entityOption())
    .addOption(asOfOption().makeOptionMandatory())
    .option('--key <key>', 'this row; repeatable', collect)
    .option('--filter <condition>', 'rows that match now or matched then; repeatable', collect)
    .option('--dry-run', 'show what would change, and store nothing')
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/restore.js')).restore));
}

function addProposalCommands(program: Command, execute: Execute): void {
  const proposals = program.command('proposals').description('review loads that wait for approval');
  proposals
    .command('list')
    .description('list proposals, the newest first')
    .addOption(new Option('--status <status>').choices(['pending', 'approved', 'rejected', 'expired']))
    .option('--limit <number>', 'newest proposals', parseCount, 50)
    .action(execute(async () => (await import('./commands/proposals.js')).listProposals));
  proposals
    .command('show <id>')
    .description('show the changes of a proposal')
    .action(execute(async () => (await import('./commands/proposals.js')).showProposal));
  proposals
    .command('approve <id>')
    .description('show the changes of a proposal, and store them')
    .option('--comment <text>', 'for the author')
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/proposals.js')).approveProposal));
  proposals
    .command('reject <id>')
    .description('reject a proposal; nothing is stored')
    .option('--comment <text>', 'for the author')
    .action(execute(async () => (await import('./commands/proposals.js')).rejectProposal));
  proposals
    .command('compare <id>')
    .description('compare a proposal with the rows as they are now')
    .action(execute(async () => (await import('./commands/proposals.js')).compareProposal));
}

function addRowCommands(program: Command, execute: Execute): void {
  program
    .command('get <table> <key>')
    .description('show a row')
    .addOption(entityOption())
    .addOption(asOfOption())
    .action(execute(async () => (await import('./commands/rows.js')).getRow));
  program
    .command('set <table> <key> <column=value...>')
    .description('change values of a row; "column=" clears a value')
    .addOption(entityOption())
    .option('--create', 'create the row if it does not exist')
    .action(execute(async () => (await import('./commands/rows.js')).setRow));
  program
    .command('delete <table> <key...>')
    .description('delete rows')
    .addOption(entityOption())
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/rows.js')).deleteRows));
  program
    .command('rename <table> <key> <new-key>')
    .description('change the key of a row, and the parents, references and notes that name it')
    .addOption(entityOption())
    .action(execute(async () => (await import('./commands/rows.js')).renameRow));
}

function addFileCommands(program: Command, execute: Execute): void {
  withLoad(program.command('import [file...]'))
    .description('store CSV, fixed-width, NDJSON or Excel files, also with gzip; - is standard input')
    .option('--table <table>', 'table that stores the rows')
    .option('--retry-rejected <directory>', 'store the corrected rejected rows of a load with --results')
    .option('--replace', 'delete the rows that the file lacks')
    .option('--resume', 'continue an interrupted import of the same file')
    .action(execute(async () => (await import('./commands/import.js')).importFiles));
  withComparison(program.command('diff <file> [table]'))
    .usage('[options] <file> <table>\n       atrium diff [options] <table> --from <moment>')
    .description('compare a file with a table, or with --from a table with its past; exit code 3 if they differ')
    .addOption(momentOption('--from <moment>', 'former moment of the table: a revision, or a time'))
    .addOption(momentOption('--to <moment>', 'later moment; now by default'))
    .action(execute(async () => (await import('./commands/diff.js')).diff));
  withLoad(program.command('sync [file] [table]'))
    .description('show the differences and make the table equal to the file')
    .option('--config <file>', 'all tables of this file, in order')
    .option('--wait', 'wait for the decision about changes that need approval')
    .action(execute(async () => (await import('./commands/sync.js')).sync));
  withFormat(
    program
      .command('init')
      .description('print a mapping for files of a system')
      .addArgument(new Argument('<system>').choices(['sap']))
      .argument('<file...>'),
    layoutOption('; once for all files, or once for each').argParser(collect),
  ).action(execute(async () => (await import('./commands/init.js')).initMapping));
}

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
  webhooks
    .command('trigger <event-type>')
    .description('send a sample of an event to a local receiver, as a signed webhook')
    .requiredOption('--forward <url>', 'address of the receiver')
    .option('--secret <secret>', 'whsec_…; by default a new one is printed')
    .action(execute(async () => (await import('./commands/events.js')).triggerWebhook));
}

function addKeyCommands(program: Command, execute: Execute): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys of the workspace');
  keys
    .command('create')
    .description('create an API key, and print it once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scope <scope>', 'at most your scopes, which are the default; repeatable', collect)
    .option('--expires <time>', 'for example 365d or 2027-11-21; never by default')
    .option('--policy <policy>', 'access policy that restricts the key: its name or ID')
    .action(execute(async () => (await import('./commands/keys.js')).createKey));
  keys
    .command('list')
    .description('list API keys, the newest first')
    .action(execute(async () => (await import('./commands/keys.js')).listKeys));
  keys
    .command('rotate <key>')
    .description('give an API key, by its name or ID, a new secret, and print it once')
    .option('--overlap <duration>', 'how long the former secret remains valid, for example 24h')
    .option('--expires <time>', 'new end of its validity; unchanged by default')
    .action(execute(async () => (await import('./commands/keys.js')).rotateKey));
  keys
    .command('revoke <key>')
    .description('revoke an API key, by its name or ID, and its former secrets')
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/keys.js')).revokeKey));
}

function addPolicyCommands(program: Command, execute: Execute): void {
  const policies = program.command('policies').description('list, show, apply, assign and delete access policies');
  policies
    .command('list')
    .description('list access policies, the newest first')
    .action(execute(async () => (await import('./commands/policies.js')).listPolicies));
  policies
    .command('show <policy>')
    .description('print an access policy, by its name or ID, as the file that `apply` reads')
    .action(execute(async () => (await import('./commands/policies.js')).showPolicy));
  policies
    .command('apply <file>')
    .description('create the access policy of a YAML or JSON file, or replace the one with its name')
    .action(execute(async () => (await import('./commands/policies.js')).applyPolicy));
  policies
    .command('delete <policy>')
    .description('delete an access policy, by its name or ID, that is not assigned')
    .option('--yes', 'do not ask')
    .action(execute(async () => (await import('./commands/policies.js')).deletePolicy));
  policies
    .command('clients')
    .description('list the OAuth clients of members with their access policies')
    .action(execute(async () => (await import('./commands/policies.js')).listClients));
  policies
    .command('assign <policy> <client>')
    .description('restrict an OAuth client, by its ID or its member, by an access policy')
    .action(execute(async () => (await import('./commands/policies.js')).assignPolicy));
  policies
    .command('withdraw <client>')
    .description('remove the access policy of an OAuth client, by its ID or its member')
    .action(execute(async () => (await import('./commands/policies.js')).withdrawPolicy));
}

function addAuditCommands(program: Command, execute: Execute): void {
  const audit = program.command('audit').description('read who accessed the workspace, and who changed what');
  audit
    .command('list')
    .description('list entries of the audit log, the newest first')
    .option('--kind <entry-kind>', 'for example table_dropped; several separated by commas')
    .option('--principal <user-or-key>', 'name or ID of a user or of an API key')
    .option('--from <time>', 'at or after, for example 2026-12-01 or 2026-12-01T08:00:00Z', toTime)
    .option('--to <time>', 'before', toTime)
    .addOption(new Option('--result <result>').choices(['succeeded', 'rejected', 'aborted']))
    .option('--limit <number>', 'newest entries', parseCount, 50)
    .addOption(new Option('--format <format>', 'print all entries as lines of JSON').choices(['ndjson']))
    .action(execute(async () => (await import('./commands/audit.js')).listAudit));
}

function addNoteCommands(program: Command, execute: Execute): void {
  const notes = program.command('notes').description('list, show and create notes, and report rejected rows');
  notes
    .command('list')
    .description('list notes, the last changed first')
    .option('--status <status>', 'one, or several separated by commas')
    .option('--priority <priority>', 'one, or several separated by commas')
    .option('--assignee <name>', 'one, or several separated by commas')
    .option('--reporter <name>', 'one, or several separated by commas')
    .option('--location <key>', 'at this location')
    .option('--under <key>', 'at this location and in its subtree')
    .option('--location-table <table>', 'of --location or --under, if several tables have the key')
    .option('--asset <key>', 'of this asset')
    .option('--asset-table <table>', 'of --asset, if several tables have the key')
    .option('--due-from <time>', 'due at or after, for example 2026-12-01T08:00:00Z')
    .option('--due-to <time>', 'due before')
    .option('--external-id <id>', 'ID of the note in another system')
    .option('--search <words>', 'words of title or description, or # and a number')
    .addOption(new Option('--archived <which>', 'only archived notes, or archived notes, too').choices(['true', 'all']))
    .option('--limit <number>', 'newest notes', parseCount, 50)
    .action(execute(async () => (await import('./commands/notes.js')).listNotes));
  notes
    .command('show <id>')
    .description('show a note')
    .action(execute(async () => (await import('./commands/notes.js')).showNote));
  notes
    .command('create')
    .description('create a note, with files; with --external-id also change it')
    .requiredOption('--title <text>', 'what the note is about')
    .option('--description <text>', 'details')
    .option('--location <key>', 'key of a location')
    .option('--location-table <table>', 'of --location, if several tables have the key')
    .option('--asset <key>', 'key of an asset')
    .option('--asset-table <table>', 'of --asset, if several tables have the key')
    .option('--status <status>', 'of the workspace; open by default')
    .option('--priority <priority>', 'a priority of the workspace')
    .option('--assignee <name>', 'for example an e-mail address')
    .option('--reporter <name>', 'for example an e-mail address')
    .option('--scheduled-date <time>', 'for example 2026-12-01T08:00:00Z')
    .option('--due-date <time>', 'for example 2026-12-01T08:00:00Z')
    .option('--custom-field <name=value>', 'repeatable', collect)
    .option('--external-id <id>', 'ID of the note in another system')
    .option('--file <file>', 'photo, sound, video or PDF; repeatable', collect)
    .action(execute(async () => (await import('./commands/notes.js')).createNote));
  notes
    .command('report <directory...>')
    .description('create a note for each error of loads with --results, and close those of corrected rows')
    .option('--priority <priority>', 'of new notes')
    .option('--assignee <name>', 'of new notes, for example an e-mail address')
    .action(execute(async () => (await import('./commands/report-notes.js')).reportNotes));
}

function addOtherCommands(program: Command, execute: Execute): void {
  addNoteCommands(program, execute);
  program
    .command('api')
    .usage('[options] [method] <path>')
    .description('send any request; {workspaceId} in the path is replaced')
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE; without it POST if there are fields, otherwise GET')
    .argument('[path]')
    .option('-X, --method <method>', 'instead of the first argument')
    .option('-f, --raw-field <name=value>', 'text of the query or the JSON body; repeatable', collect)
    .option('-F, --field <name=value>', 'JSON value, or the text of @FILE, of the query or body; repeatable', collect)
    .option('-H, --header <name:value>', 'repeatable', collect)
    .option('--input <file>', 'body of the request; - is standard input')
    .option('-i, --include', 'print the status and the headers, too')
    .option('--jq <filter>', 'print what a filter of jq selects')
    .option('--paginate', 'print all entries of a list as lines of JSON')
    .action(execute(async () => (await import('./commands/api.js')).api));
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish', 'powershell']))
    .action(
      execute(async () => {
        const { printCompletion } = await import('./commands/completion.js');
        return (shell: Shell, _: GlobalFlags, io: Io) => printCompletion(shell, program, io);
      }),
    );
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(NAME_KINDS))
    .action(execute(async () => (await import('./commands/completion.js')).printNames));
}
