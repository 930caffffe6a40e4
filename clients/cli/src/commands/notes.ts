import { basename } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Note } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import type { WorkspaceContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { readBytes } from '../files/read-file.js';
import { writeBody } from '../io.js';
import { toArray } from '../iteration.js';
import { splitAssignment } from '../named.js';
import { collect, parseCount } from '../options.js';
import { formatTime } from '../output.js';
import type { Program, Runner } from '../runner.js';

/** Notes per request. */
const PAGE_NOTES = 100;

/** The query parameters of flags that select notes. */
function toQuery(
  {
    filter,
    locationTable: locationKey,
    assetTable: assetKey,
    search: q,
    ...flags
  }: Record<string, unknown> & { filter?: string[] },
  options: { selectsWrites?: boolean } = {},
): Record<string, string> {
  const conditions = filter && JSON.stringify(parseConditions(filter, options));
  const sent = Object.entries({ ...flags, filter: conditions, locationKey, assetKey, q });
  return Object.fromEntries(sent.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** @throws {UsageError} */
async function findNoteId(client: WorkspaceContext['client'], number: string): Promise<string> {
  const { value: note } = await client.notes.list({ number, archived: 'all', fields: 'id' }).next();
  if (!note) throw new UsageError(`The workspace has no note with the number ${number}.`);
  return note.id;
}

const assigneeOption = () => new Option('--assignee <name>', 'one, or several separated by commas; me is the caller');

export function addNoteCommands(program: Program, { inWorkspace }: Runner): void {
  const notes = program.command('notes').description('list, show and create notes, and report rejected rows');
  notes
    .command('list')
    .description('list notes, the last changed first')
    .option('--status <status>', 'one, or several separated by commas')
    .option('--priority <priority>', 'one, or several separated by commas')
    .option('--category <category>', 'one, or several separated by commas')
    .option('--work-center <key>', 'one, or several separated by commas')
    .option('--type <type>', 'one, or several separated by commas')
    .addOption(assigneeOption())
    .option('--reporter <name>', 'one, or several separated by commas')
    .option('--filter <condition>', "for example 'downtime>=2'; repeatable", collect)
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
    .action(
      inWorkspace(async ({ client, output }, { limit, ...flags }) => {
        const page = { sort: '-updatedAt', limit: String(Math.min(limit, PAGE_NOTES)) };
        const found = await toArray(client.notes.list({ ...toQuery(flags), ...page }), limit);
        await output.table(found, ['number', 'status', 'title', 'updated', 'id'], ({ updatedAt, ...note }) => ({
          ...note,
          updated: formatTime(updatedAt),
        }));
      }),
    );
  notes
    .command('show <id>')
    .description('show a note, by its number or its ID')
    .action(
      inWorkspace(async ({ client, output }, given) => {
        const id = /^\d+$/.test(given) ? await findNoteId(client, given) : given;
        const note = await client.notes.get(id, { expand: 'fields' });
        output.entry(note, formatField, (value) => value !== null && value !== '');
      }),
    );
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
    .option('--type <type>', 'of the workspace')
    .option('--priority <priority>', 'a priority of the workspace')
    .option('--category <category>', 'a category of the workspace')
    .option('--work-center <key>', 'key of a work center')
    .option('--assignee <name>', 'for example an e-mail address')
    .option('--reporter <name>', 'for example an e-mail address')
    .option('--scheduled-date <time>', 'for example 2026-12-01T08:00:00Z')
    .option('--due-date <time>', 'for example 2026-12-01T08:00:00Z')
    .option('--field <name=value>', 'a field of the workspace; repeatable', collect)
    .option('--custom-field <name=value>', 'as --field, also with a name that is not defined; repeatable', collect)
    .option('--external-id <id>', 'ID of the note in another system')
    .option('--file <file>', 'photo, sound, video or PDF; repeatable', collect)
    .action(
      inWorkspace(async ({ client, io, output }, flags) => {
        const { file = [], field, customField, locationTable, assetTable, ...note } = flags;
        const toFields = (texts: string[] | undefined, flag: string) =>
          texts && Object.fromEntries(texts.map((text) => splitAssignment(text, 'field', `--${flag} shift=night`)));
        const fields = toFields(field, 'field');
        const customFields = toFields(customField, 'custom-field');
        const files = await Promise.all(
          file.map(async (path) => ({ name: basename(path), data: new Uint8Array(await readBytes(path, io)) })),
        );
        const tables = { locationKey: locationTable, assetKey: assetTable };
        const stored = await client.notes.create({ ...note, ...tables, fields, customFields, files });
        output.result(stored, () => `Note ${stored.number} was stored (${stored.id}).\n`);
      }),
    );
  notes
    .command('import <file>')
    .description('create notes, or change those with the external IDs, from CSV, Excel or lines of JSON; - is stdin')
    .addOption(new Option('--on-error <mode>', 'continue stores the valid notes').choices(['abort', 'continue']))
    .option('--dry-run', 'report the result and store nothing')
    .action(
      inWorkspace(async (context, file, flags) => (await import('../many-notes.js')).importNotes(context, file, flags)),
    );
  notes
    .command('export')
    .description('write all notes that are not archived')
    .addOption(new Option('--format <format>', 'csv by default; ndjson with --json').choices(['csv', 'ndjson']))
    .option('--filter <condition>', "for example 'status!=closed'; repeatable", collect)
    .addOption(assigneeOption())
    .option('--under <key>', 'at this location and in its subtree')
    .option('--location-table <table>', 'of --under, if several tables have the key')
    .option('--search <words>', 'words of title or description, or # and a number')
    .option('--columns <names>', 'fields, separated by commas')
    .option('--sort <names>', 'fields, separated by commas; - in front of a name is descending')
    .action(
      inWorkspace(async ({ client, io, output, signal }, { format, columns, ...flags }) => {
        const query = toQuery({ ...flags, fields: columns });
        const body = await client.notes.export(query, { format: format ?? (output.json ? 'ndjson' : 'csv'), signal });
        return writeBody(body, io.stdout);
      }),
    );
  notes
    .command('update')
    .description('change all notes that match, up to 1,000')
    .option('--filter <condition>', "for example 'status=open'; repeatable", collect)
    .addOption(assigneeOption())
    .requiredOption(
      '--set <name=value>',
      'a field of notes or of the workspace; no value removes it; repeatable',
      collect,
    )
    .addOption(new Option('--on-error <mode>', 'continue changes the valid notes').choices(['abort', 'continue']))
    .option('--dry-run', 'report the numbers and change nothing')
    .action(
      inWorkspace(async (context, { filter, assignee, ...flags }) =>
        (await import('../many-notes.js')).updateNotes(
          context,
          toQuery({ filter, assignee }, { selectsWrites: true }),
          flags,
        ),
      ),
    );
  const fields = program.command('note-fields').description('list and replace the fields of notes');
  fields
    .command('list')
    .description('list the fields that the workspace has defined for notes')
    .action(
      inWorkspace(async ({ client, output }) => {
        const columns = ['key', 'name', 'type', 'table', 'choices', 'required', 'types'];
        await output.table(await client.notes.fields(), columns, ({ choices, types, ...field }) => ({
          ...field,
          choices: choices?.join(', '),
          types: types?.join(', '),
        }));
      }),
    );
  fields
    .command('set <file>')
    .description('replace them by those of a file, as note-fields list --json prints them')
    .action(inWorkspace(async (context, file) => (await import('../many-notes.js')).setNoteFields(context, file)));
  notes
    .command('report <directory...>')
    .description('create a note for each error of loads with --results, and close those of corrected rows')
    .option('--priority <priority>', 'of new notes')
    .option('--assignee <name>', 'of new notes, for example an e-mail address')
    .action(
      inWorkspace(async (context, directories, flags) =>
        (await import('../report-notes.js')).reportNotes(context, directories, flags),
      ),
    );
}

function formatField(value: unknown, name: string): string {
  if (name === 'files') return (value as Note['files']).map(({ filename, url }) => `\n${filename}  ${url}`).join('');
  if (name === 'fields')
    return Object.entries(value as NonNullable<Note['fields']>)
      .map(formatNoteField)
      .join('');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A row or a user is its title, or without one its key or ID. */
function formatNoteField([name, value]: [string, NonNullable<Note['fields']>[string]]): string {
  if (typeof value !== 'object') return `\n${name}: ${value}`;
  return value === null ? '' : `\n${name}: ${value.title ?? ('key' in value ? value.key : value.id)}`;
}
