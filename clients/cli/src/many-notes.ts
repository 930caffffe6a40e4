import type { NoteBulkResult, NoteField } from '@atrium/client';
import { parseConditions } from './conditions.js';
import type { WorkspaceContext } from './context.js';
import { EXIT, type ExitCode, FileError } from './exit-codes.js';
import type { ReportedError, ServiceError } from './failure.js';
import { readText } from './files/read-file.js';
import { describeJsonError } from './json-error.js';
import { splitAssignment } from './named.js';
import { readNotes, type RowProblem } from './note-file.js';
import { formatCount, writeText } from './output.js';

/** Notes per request: a request stores all of them, or none. */
const NOTES_PER_REQUEST = 1_000;

/** Lines that the message of an error lists. */
const MAX_LISTED = 20;

/** The fields of every note that a command can change. All others are fields of the workspace. */
const NOTE_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'status', 'priority', 'category', 'workCenter', 'assignee', 'reporter', 'scheduledDate', 'dueDate'],
]);

interface ImportFlags {
  onError?: 'stop' | 'continue';
  dryRun?: boolean;
}

/** Stores the notes of a file. @throws {FileError} naming the lines that are not notes */
export async function importNotes(
  { client, io, output }: WorkspaceContext,
  file: string,
  { onError = 'stop', dryRun = false }: ImportFlags,
): Promise<ExitCode> {
  const { notes, problems } = await readNotes(client, file, io);
  if (problems.length > 0 && onError === 'stop') throw new FileError(describeProblems(problems));
  const totals = { received: problems.length, created: 0, updated: 0, failed: problems.length };
  const errors: (NoteBulkResult['items'][number]['errors'][number] & { line: number })[] = [...problems];
  for (let from = 0; from < notes.length; from += NOTES_PER_REQUEST) {
    const part = notes.slice(from, from + NOTES_PER_REQUEST);
    const items = part.map(({ note }) => note);
    const lines = part.map(({ line }) => line);
    const send = () => client.notes.bulk(items, { onError, dryRun });
    const result = await send().catch((error: unknown) => {
      throw withLines(error as ServiceError, lines);
    });
    for (const name of ['received', 'created', 'updated', 'failed'] as const) totals[name] += result[name];
    for (const item of result.items)
      errors.push(...item.errors.map((error) => ({ line: part[item.index]!.line, ...error })));
  }
  errors.sort((a, b) => a.line - b.line);
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

function describeProblems(problems: readonly RowProblem[]): string {
  const listed = problems.slice(0, MAX_LISTED).map(({ line, message }) => `Line ${line}: ${message}`);
  const others = problems.length - listed.length;
  return [...listed, ...(others > 0 ? [`… and ${others} more.`] : [])].join('\n');
}

/** The error of a request with the lines of the notes, instead of their positions in it, such as `items[3].status`. */
function withLines(error: ServiceError, lines: readonly number[]): ServiceError {
  const errors = (error.details?.errors ?? []).map((each): ReportedError => {
    const [, index, field] = /^items\[(\d+)\]\.?(.*)$/.exec(each.field ?? '') ?? [];
    return index === undefined ? each : { ...each, field, line: lines[Number(index)] };
  });
  return errors.length === 0 ? error : Object.assign(error, { details: { ...error.details, errors } });
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FileError(`${what} ${describeJsonError(text)}.`);
  }
}
