import type { NoteBulkResult, NoteField, NoteInput } from '@atrium/client';
import { parseConditions } from './conditions.js';
import type { WorkspaceContext } from './context.js';
import { EXIT, type ExitCode, FileError } from './exit-codes.js';
import { readText } from './files/read-file.js';
import { describeJsonError } from './json-error.js';
import { splitAssignment } from './named.js';
import { formatCount, writeText } from './output.js';

/** Notes per request: a request stores all of them, or none. */
const NOTES_PER_REQUEST = 1_000;

/** The fields of every note that a command can change. All others are fields of the workspace. */
const NOTE_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'status', 'priority', 'category', 'workCenter', 'assignee', 'reporter', 'scheduledDate', 'dueDate'],
]);

interface ImportFlags {
  onError?: 'stop' | 'continue';
  dryRun?: boolean;
}

/** Stores the notes of a file with a JSON object per line. @throws {FileError} naming the line that is none */
export async function importNotes(
  { client, io, output }: WorkspaceContext,
  file: string,
  { onError = 'stop', dryRun = false }: ImportFlags,
): Promise<ExitCode> {
  const lines = (await readText(file, io)).split('\n').map((text, at) => ({ text, line: at + 1 }));
  const notes = lines.filter(({ text }) => text.trim() !== '').map(({ text, line }) => parseNote(text, line));
  const totals = { received: 0, created: 0, updated: 0, failed: 0 };
  const errors: (NoteBulkResult['items'][number]['errors'][number] & { line: number })[] = [];
  for (let from = 0; from < notes.length; from += NOTES_PER_REQUEST) {
    const part = notes.slice(from, from + NOTES_PER_REQUEST);
    const items = part.map(({ note }) => note);
    const result = await client.notes.bulk(items, { onError, dryRun });
    for (const name of ['received', 'created', 'updated', 'failed'] as const) totals[name] += result[name];
    for (const item of result.items)
      errors.push(...item.errors.map((error) => ({ line: part[item.index]!.line, ...error })));
  }
  if (!output.json) for (const { line, message } of errors) writeText(io.stderr, `Line ${line}: ${message}\n`);
  const what = dryRun ? 'Nothing was stored (--dry-run). ' : '';
  output.result({ ...totals, dryRun, errors }, () => {
    const [created, updated, failed] = [totals.created, totals.updated, totals.failed].map(formatCount);
    return `${what}${created} created, ${updated} updated, ${failed} failed.\n`;
  });
  return totals.failed > 0 ? EXIT.rowsRejected : EXIT.success;
}

/** Changes the notes that match. */
export async function updateNotes(
  { client, output }: WorkspaceContext,
  { filter, set, dryRun = false }: { filter: string[]; set: string[]; dryRun?: boolean },
): Promise<void> {
  const changes: Record<string, unknown> = {};
  const fields: Record<string, string | null> = {};
  for (const text of set) {
    const [name, value] = splitAssignment(text, 'field', '--set status=closed');
    const target = NOTE_FIELDS.has(name) ? changes : fields;
    target[name] = value === '' ? null : value;
  }
  if (Object.keys(fields).length > 0) changes['fields'] = fields;
  const conditions = { filter: JSON.stringify(parseConditions(filter)) };
  const result = await client.notes.change(conditions, changes, { dryRun });
  const { matched, changed, unchanged } = result;
  const what = dryRun ? 'Nothing was changed (--dry-run). ' : '';
  output.result(result, () => {
    const [all, some, others] = [matched, changed, unchanged].map(formatCount);
    return `${what}${all} notes match: ${some} changed, ${others} unchanged.\n`;
  });
}

/** Replaces the fields of notes by those of a file. */
export async function setNoteFields({ client, io, output }: WorkspaceContext, file: string): Promise<void> {
  const fields = parse(await readText(file, io), `The file ${file}`) as NoteField[];
  const stored = await client.notes.setFields(fields);
  output.result(stored, () => `${formatCount(stored.length)} fields were stored.\n`);
}

function parseNote(text: string, line: number): { note: NoteInput; line: number } {
  const note = parse(text, `Line ${line}`);
  if (typeof note !== 'object' || note === null || Array.isArray(note))
    throw new FileError(`Line ${line} is not a JSON object. Write one note per line.`);
  return { note, line };
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FileError(`${what} ${describeJsonError(text)}.`);
  }
}
