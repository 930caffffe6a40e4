import type { AtriumClient, NoteField, NoteInput } from '@atrium/client';
import { FileError } from './exit-codes.js';
import type { ReportedError } from './failure.js';
import { SourceFile } from './files/source-file.js';
import { type SourceRow, toText } from './files/source-row.js';
import type { Io } from './io.js';

/** A note of a file, with its line, from 1. */
interface FileNote {
  note: NoteInput;
  line: number;
}

/** A row whose cells do not fit the header. */
export type RowProblem = ReportedError & { line: number };

/** What a column of a file with a header sets in a note. */
interface Target {
  key: string;
  /** Is it a field that the workspace has defined? */
  isDefined: boolean;
}

/** The fields of every note. */
const FIELDS = [
  ...['externalId', 'title', 'description', 'type', 'status', 'priority', 'category', 'workCenter', 'assignee'],
  ...['reporter', 'scheduledDate', 'dueDate', 'location', 'locationKey', 'asset', 'assetKey'],
];

/** Columns of exports that no request sets. */
const OF_SERVICE = new Set([
  ...['id', 'number', 'closedAt', 'createdAt', 'updatedAt', 'projectId', 'tagId', 'messageCount', 'source'],
]);

/** A note has a type and a status in any case: an empty cell leaves them as they are. */
const NEVER_EMPTY = new Set(['type', 'status']);

/**
 * The notes of a file with a JSON object per line, or of a table (CSV, Excel) whose header names fields.
 *
 * @throws {FileError} naming the line that is not readable
 */
export async function readNotes(
  client: AtriumClient,
  name: string,
  io: Io,
): Promise<{ notes: FileNote[]; problems: RowProblem[] }> {
  const file = await SourceFile.open(name, {}, io);
  const notes: FileNote[] = [];
  const problems: RowProblem[] = [];
  try {
    const isTable = file.kind !== 'ndjson';
    const header = isTable ? await file.readHeader() : [];
    const targets = isTable ? findTargets(header, file.headerLine ?? 1, await client.notes.fields()) : undefined;
    for await (const row of file.rows()) {
      const { line, names, cells, problem } = row;
      if (problem) problems.push({ ...problem, line });
      else if (targets) notes.push({ line, note: toNote(row, targets) });
      else notes.push({ line, note: Object.fromEntries(names.map((each, at) => [each, cells[at]])) as NoteInput });
    }
  } finally {
    await file.close();
  }
  return { notes, problems };
}

/** @throws {FileError} for columns that are not fields of notes */
function findTargets(header: readonly string[], line: number, fields: readonly NoteField[]): (Target | undefined)[] {
  const taken = new Set<string>();
  return header.map((name) => {
    if (name === '') return undefined;
    const target = findTarget(name, fields);
    if (!target) throw new FileError(`Line ${line}: ${explain(name, fields)}`);
    if (taken.has(target.key)) throw new FileError(`Line ${line}: the field "${target.key}" has several columns.`);
    taken.add(target.key);
    return target;
  });
}

/** By the key, or by key or name in any letter case. */
function findTarget(name: string, fields: readonly NoteField[]): Target | undefined {
  const isNamed = (text: string) => text.toLowerCase() === name.toLowerCase();
  const own = FIELDS.find(isNamed);
  if (own !== undefined) return { key: own, isDefined: false };
  const defined =
    fields.find(({ key }) => key === name) ?? fields.find((each) => isNamed(each.key) || isNamed(each.name));
  return defined && { key: defined.key, isDefined: !FIELDS.includes(defined.key) };
}

function explain(name: string, fields: readonly NoteField[]): string {
  const quoted = `"${name.slice(0, 80)}"`;
  if (OF_SERVICE.has(name)) return `the service sets ${quoted}. Remove the column.`;
  const known = [...FIELDS, ...fields.map(({ key }) => key).filter((key) => !FIELDS.includes(key))];
  return `${quoted} is not a field of notes. The fields: ${known.join(', ')}.`;
}

/** An empty cell removes the value. */
function toNote({ cells }: SourceRow, targets: readonly (Target | undefined)[]): NoteInput {
  const note: Record<string, unknown> = {};
  const fields: Record<string, string | null> = {};
  for (const [at, target] of targets.entries()) {
    if (!target) continue;
    const text = toText(cells[at]);
    const value = text === '' ? null : text;
    if (target.isDefined) fields[target.key] = value;
    else if (value !== null || !NEVER_EMPTY.has(target.key)) note[target.key] = value;
  }
  if (Object.keys(fields).length > 0) note['fields'] = fields;
  return note;
}
