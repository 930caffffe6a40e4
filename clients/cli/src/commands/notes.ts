import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Note } from '@atrium/client';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { UsageError } from '../exit-codes.js';
import { formatTime } from '../output.js';

export interface NoteFlags extends GlobalFlags {
  title: string;
  description?: string;
  location?: string;
  status?: string;
  priority?: string;
  file?: string[];
}

type NoteFile = Note['files'][number];

export async function createNote({ json, quiet, profile, file = [], ...fields }: NoteFlags): Promise<void> {
  const { client, output } = await openContext({ json, quiet, profile });
  const files = await Promise.all(
    file.map(async (path) => {
      const data = await readFile(path).catch(() => {
        throw new UsageError(`The file ${path} does not exist or cannot be read.`);
      });
      return { name: basename(path), data: new Uint8Array(data) };
    }),
  );
  const note = await client.notes.create({ ...fields, files });
  output.result(note, () => `Note ${note.number} was stored (${note.id}).\n`);
}

const PAGE_NOTES = 100;

export async function listNotes(
  flags: GlobalFlags & { status?: string; under?: string; limit: number },
): Promise<void> {
  const { client, output } = await openContext(flags);
  const filter: Record<string, string> = { sort: '-updatedAt', limit: String(Math.min(flags.limit, PAGE_NOTES)) };
  if (flags.status) filter['status'] = flags.status;
  if (flags.under) filter['under'] = flags.under;
  const notes: Record<string, unknown>[] = [];
  for await (const note of client.notes.list(filter)) {
    notes.push(
      output.json
        ? note
        : {
            number: note.number,
            status: note.status,
            title: note.title,
            updated: formatTime(note.updatedAt),
            id: note.id,
          },
    );
    if (notes.length === flags.limit) break;
  }
  await output.table(notes, ['number', 'status', 'title', 'updated', 'id']);
}

export async function showNote(id: string, flags: GlobalFlags): Promise<void> {
  const { client, output } = await openContext(flags);
  const note = await client.notes.get(id);
  if (output.json) {
    output.result(note, () => '');
    return;
  }
  const fields = Object.entries(note).filter(([, value]) => value !== null && value !== '');
  output.fields(Object.fromEntries(fields.map(([name, value]) => [name, formatField(name, value)])));
}

function formatField(name: string, value: unknown): string {
  if (name === 'files') return (value as NoteFile[]).map((file) => `\n${file.filename}  ${file.url}`).join('');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
