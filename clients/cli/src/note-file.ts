import type { AtriumClient, NoteField, NoteInput } from '@atrium/client';
import { normalText } from '../../../packages/tabular/src/normalization.js';
import { InvalidCell, PaddedNumber } from '../../../packages/tabular/src/workbook/cells.js';
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

/** An error of a row. */
export type RowProblem = ReportedError & { line: number };

/** What a column sets in a note. */
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

/** Columns of exports that are not imported, by the reason. */
const NOT_IMPORTED = new Map<string, string>([
  ...[
    ...['id', 'number', 'closedAt', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy'],
    ...['messageCount', 'lastMessageAt', 'source'],
  ].map((name) => [name, 'the service sets them'] as const),
  ...['projectId', 'tourId', 'tagId'].map((name) => [name, 'only a single note can have them'] as const),
]);

/** A note has a type and a status in any case: an empty cell leaves them as they are. */
const NEVER_EMPTY = new Set(['type', 'status']);

/**
 * The notes of a file with a JSON object per line, or of a table (CSV, Excel) whose header names fields.
 *
 * @returns also the columns that are ignored, by the reason
 * @throws {FileError} naming the line that is not readable
 */
export async function readNotes(client: AtriumClient, name: string, io: Io) {
  const file = await SourceFile.open(name, {}, io);
  const fields = await client.notes.fields();
  const notes: FileNote[] = [];
  const problems: RowProblem[] = [];
  const ignored = new Map([...NOT_IMPORTED.values()].map((reason) => [reason, new Set<string>()]));
  const lines = new Map<string, Set<number>>();
  try {
    const isTable = file.kind !== 'ndjson';
    const header = isTable ? await file.readHeader() : [];
    const ofTable = findTargets(header, file.headerLine ?? 1, fields, isTable);
    for await (const row of file.rows()) {
      const { line, names } = row;
      for (const each of names) ignored.get(NOT_IMPORTED.get(each) ?? '')?.add(each);
      const targets = isTable ? ofTable : findTargets(names, line, fields, isTable);
      const problem = row.problem ?? findInvalidCell(row, targets);
      if (problem) {
        problems.push({ ...problem, line });
        continue;
      }
      const note = toNote(row, targets, isTable);
      notes.push({ line, note });
      for (const identity of listIdentities(note)) lines.set(identity, (lines.get(identity) ?? new Set()).add(line));
    }
  } finally {
    await file.close();
  }
  // The service rejects them only within a request.
  const duplicates = new Map<number, RowProblem>();
  for (const [identity, found] of lines) {
    const [first, second] = found;
    for (const line of found) {
      const other = line === first ? second : first;
      if (other === undefined || duplicates.has(line)) continue;
      const message = `${identity.split(' ', 1)[0]} is that of line ${other}. Send each once.`;
      duplicates.set(line, { line, code: 'duplicate', message });
    }
  }
  problems.push(...duplicates.values());
  return { notes: notes.filter(({ line }) => !duplicates.has(line)), problems, ignored };
}

/**
 * @param isTable the service rejects unknown names of a JSON object, with its line
 * @throws {FileError} for columns that are not fields of notes, and for a field with two columns
 */
function findTargets(
  names: readonly string[],
  line: number,
  fields: readonly NoteField[],
  isTable: boolean,
): (Target | undefined)[] {
  const taken = new Set<string>();
  return names.map((name) => {
    if (name === '' || NOT_IMPORTED.has(name)) return undefined;
    const target = findTarget(name, line, fields);
    if (!target && isTable) throw new FileError(`Line ${line}: ${explain(name, fields)}`);
    const { key, isDefined } = target ?? { key: name, isDefined: false };
    if (taken.has(key)) throw new FileError(`Line ${line}: the field "${key}" has several columns.`);
    taken.add(key);
    return { key, isDefined };
  });
}

/** By the key, or by key or name in any letter case. @throws {FileError} if several fields have the name */
function findTarget(name: string, line: number, fields: readonly NoteField[]): Target | undefined {
  const isNamed = (text: string) => text.toLowerCase() === name.toLowerCase();
  const exact = fields.filter(({ key }) => key === name);
  const named = fields.filter((each) => isNamed(each.key) || (isNamed(each.name) && !FIELDS.some(isNamed)));
  const [defined, ...others] = exact.length > 0 ? exact : named;
  if (defined && others.length > 0)
    throw new FileError(
      `Line ${line}: several fields have the name "${name}". Write a key: ${named.map(({ key }) => key).join(', ')}.`,
    );
  if (defined) return { key: defined.key, isDefined: true };
  const own = FIELDS.find(isNamed);
  return own === undefined ? undefined : { key: own, isDefined: false };
}

function explain(name: string, fields: readonly NoteField[]): string {
  const known = new Set([...FIELDS, ...fields.map(({ key }) => key)]);
  return `"${name.slice(0, 80)}" is not a field of notes. The fields: ${[...known].join(', ')}.`;
}

/** What only one note can have, as the service compares it, after the name of its field. */
function listIdentities({ externalId, externalReferences }: NoteInput): string[] {
  const references = Array.isArray(externalReferences) ? externalReferences : [];
  const normalize = (value: unknown) => normalText(String(value));
  return [
    ...(externalId ? [`externalId ${normalize(externalId)}`] : []),
    ...references.map((each: Record<string, unknown> | null) => {
      return `externalReferences ${JSON.stringify([each?.['system'], each?.['id']].map(normalize))}`;
    }),
  ];
}

/** A cell of a workbook whose value is not known, such as `#N/A`, or a number of JSON that a double does not have. */
function findInvalidCell({ cells }: SourceRow, targets: readonly (Target | undefined)[]): ReportedError | undefined {
  for (const [at, target] of targets.entries()) {
    const cell = cells[at] instanceof PaddedNumber ? cells[at].text : cells[at];
    if (target && cell instanceof InvalidCell)
      return { code: 'invalid_value', message: `The field "${target.key}" has no valid value: ${cell.problem}.` };
  }
  return undefined;
}

/** An empty cell of a table removes the value. An object may also have `fields`, as requests have them. */
function toNote({ line, cells }: SourceRow, targets: readonly (Target | undefined)[], isTable: boolean): NoteInput {
  const note: Record<string, unknown> = {};
  const fields: Record<string, unknown> = {};
  for (const [at, target] of targets.entries()) {
    if (!target) continue;
    const value = isTable ? toText(cells[at]) || null : cells[at];
    if (target.isDefined) fields[target.key] = value;
    else if (value !== null || !NEVER_EMPTY.has(target.key)) note[target.key] = value;
  }
  if (Object.keys(fields).length === 0) return note;
  const twice = Object.keys(note['fields'] ?? {}).find((key) => Object.hasOwn(fields, key));
  if (twice !== undefined) throw new FileError(`Line ${line}: the field "${twice}" has several values.`);
  return { ...note, fields: { ...(note['fields'] as object), ...fields } } as NoteInput;
}
