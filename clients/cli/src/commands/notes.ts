import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Note } from '@atrium/client';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { UsageError } from '../exit-codes.js';
import { type Io, toAbsolute } from '../io.js';
import { formatTime } from '../output.js';

/** Notes per request. */
const PAGE_NOTES = 100;

/** The flags that are named after their field in the API. */
type FieldFlag = 'description' | 'location' | 'asset' | 'status' | 'priority' | 'assignee' | 'reporter' | 'externalId';

export interface NoteFlags extends GlobalFlags, Partial<Record<FieldFlag | 'scheduledDate' | 'dueDate', string>> {
  title: string;
  locationTable?: string;
  assetTable?: string;
  customField?: string[];
  file?: string[];
}

export interface NoteListFlags extends GlobalFlags, Partial<Record<Exclude<FieldFlag, 'description'>, string>> {
  under?: string;
  dueFrom?: string;
  dueTo?: string;
  archived?: string;
  locationTable?: string;
  assetTable?: string;
  search?: string;
  limit: number;
}

type NoteFile = Note['files'][number];

export async function createNote(flags: NoteFlags, io: Io): Promise<void> {
  const { json, quiet, profile, file = [], customField, locationTable, assetTable, ...fields } = flags;
  const customFields = customField && Object.fromEntries(customField.map(parseCustomField));
  const { client, output } = await openContext({ json, quiet, profile }, io);
  const files = await Promise.all(
    file.map(async (path) => {
      const data = await readFile(toAbsolute(path, io)).catch(() => {
        throw new UsageError(`The file ${path} does not exist or cannot be read.`);
      });
      return { name: basename(path), data: new Uint8Array(data) };
    }),
  );
  const tables = { locationKey: locationTable, assetKey: assetTable };
  const note = await client.notes.create({ ...fields, ...tables, customFields, files });
  output.result(note, () => `Note ${note.number} was stored (${note.id}).\n`);
}

/** @throws {UsageError} */
function parseCustomField(text: string): [string, string] {
  const separator = text.indexOf('=');
  if (separator < 1) throw new UsageError(`"${text}" is not a field. Write for example --custom-field shift=night.`);
  return [text.slice(0, separator), text.slice(separator + 1)];
}

export async function listNotes(flags: NoteListFlags, io: Io): Promise<void> {
  const { json, quiet, profile, limit, locationTable, assetTable, search, ...fields } = flags;
  const { client, output } = await openContext({ json, quiet, profile }, io);
  const parameters = { ...fields, locationKey: locationTable, assetKey: assetTable, q: search };
  const selected = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const filter = { ...Object.fromEntries(selected), sort: '-updatedAt', limit: String(Math.min(limit, PAGE_NOTES)) };
  const notes: Note[] = [];
  for await (const note of client.notes.list(filter)) {
    notes.push(note);
    if (notes.length === limit) break;
  }
  await output.table(notes, ['number', 'status', 'title', 'updated', 'id'], ({ updatedAt, ...note }) => ({
    ...note,
    updated: formatTime(updatedAt),
  }));
}

export async function showNote(id: string, flags: GlobalFlags, io: Io): Promise<void> {
  const { client, output } = await openContext(flags, io);
  const note = await client.notes.get(id);
  const fields = Object.entries(note).filter(([, value]) => value !== null && value !== '');
  if (output.json) output.printJson(note);
  else output.fields(Object.fromEntries(fields.map(([name, value]) => [name, formatField(name, value)])));
}

function formatField(name: string, value: unknown): string {
  if (name === 'files') return (value as NoteFile[]).map((file) => `\n${file.filename}  ${file.url}`).join('');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
