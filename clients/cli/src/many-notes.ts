import type { AtriumClient, NoteField } from '@atrium/client';
import type { WorkspaceContext } from './context.js';
import { EXIT, type ExitCode, exitCodeOf, FileError, UsageError } from './exit-codes.js';
import { readText } from './files/read-file.js';
import { describeJsonError } from './json-error.js';
import { splitAssignment } from './named.js';
import { readNotes, type RowProblem } from './note-file.js';
import { formatCount, writeText } from './output.js';

/** Notes per request. */
const NOTES_PER_REQUEST = 1_000;

/** The fields of every note that a command can change. All others are fields of the workspace. */
const NOTE_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'status', 'priority', 'category', 'workCenter', 'assignee', 'reporter', 'scheduledDate', 'dueDate'],
]);

interface ImportFlags {
  onError?: 'abort' | 'continue';
  dryRun?: boolean;
}

/** Stores all notes of a file or none, or with `--on-error continue` the valid ones. */
export async function importNotes(
  { client, io, output }: WorkspaceContext,
  file: string,
  { onError = 'abort', dryRun = false }: ImportFlags,
): Promise<ExitCode> {
  const { notes, problems, ignored } = await readNotes(client, file, io);
  for (const [reason, names] of ignored)
    if (names.size > 0) output.remark(`Not imported, because ${reason}: ${[...names].join(', ')}.`);
  const totals = { received: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  let errors: RowProblem[] = [];
  const send = async (isDryRun: boolean): Promise<void> => {
    Object.assign(totals, { received: problems.length, created: 0, updated: 0, unchanged: 0, failed: problems.length });
    errors = [...problems];
    for (let from = 0; from < notes.length; from += NOTES_PER_REQUEST) {
      const part = notes.slice(from, from + NOTES_PER_REQUEST);
      const options = { onError: isDryRun ? 'continue' : onError, dryRun: isDryRun } as const;
      const items = part.map(({ note }) => note);
      const result = await client.notes.bulk(items, options);
      for (const name of ['received', 'created', 'updated', 'unchanged', 'failed'] as const)
        totals[name] += result[name];
      for (const item of result.items)
        errors.push(...item.errors.map((error) => ({ ...error, line: part[item.index]!.line })));
    }
  };
  const report = (what: string): void => {
    errors.sort((a, b) => a.line - b.line);
    if (!output.json) for (const { line, message } of errors) writeText(io.stderr, `Line ${line}: ${message}\n`);
    output.result({ ...totals, dryRun, errors }, () => {
      const { created, updated, unchanged, failed } = totals;
      const counts = Object.entries({ created, updated, unchanged, failed });
      return `${what}${counts.map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')}.\n`;
    });
  };
  // A request stores all of its notes or none, so those of all requests are validated before the first is stored.
  if (dryRun || onError === 'abort') await send(true);
  if (dryRun) report('Nothing was stored (--dry-run). ');
  else if (onError === 'abort' && totals.failed > 0) {
    Object.assign(totals, { created: 0, updated: 0, unchanged: 0 });
    report('Nothing was stored: correct these lines, or store the others with --on-error continue. ');
  } else {
    await send(false).catch((failure: unknown) => {
      report('The import has stopped. Stored so far: ');
      throw failure;
    });
    report('');
  }
  return exitCodeOf({ isRejected: totals.failed > 0 });
}

/** Changes the notes that match. A dry run also shows those that cannot be changed. */
export async function updateNotes(
  { client, io, output }: WorkspaceContext,
  query: Record<string, string>,
  { set, onError = 'abort', dryRun = false }: ImportFlags & { set: string[] },
): Promise<ExitCode> {
  if (Object.keys(query).length === 0) throw new UsageError('Select the notes with --filter or --assignee.');
  const changes: Record<string, unknown> = {};
  const fields: Record<string, string | null> = {};
  for (const text of set) {
    const [name, value] = splitAssignment(text, 'field', '--set status=closed');
    const target = NOTE_FIELDS.has(name) ? changes : fields;
    target[name] = value === '' ? null : value;
  }
  const names = Object.keys(fields);
  if (names.length > 0) {
    await requireFields(client, names);
    changes['fields'] = fields;
  }
  const result = await client.notes.change(query, changes, { onError, dryRun });
  const { matched, changed, unchanged, failed } = result;
  const what = dryRun ? 'Nothing was changed (--dry-run). ' : '';
  if (!output.json)
    for (const { field, message } of result.errors)
      writeText(io.stderr, `${field?.split('.', 1)[0] ?? ''}: ${message}\n`);
  output.result(result, () => {
    const [all, some, others] = [matched, changed, unchanged].map(formatCount);
    const rejected = failed === 0 ? '' : `, ${formatCount(failed)} rejected`;
    return `${what}${all} notes match: ${some} changed, ${others} unchanged${rejected}.\n`;
  });
  return exitCodeOf({ isRejected: failed > 0 });
}

/** The service would list only the fields of the workspace. @throws {UsageError} */
async function requireFields(client: AtriumClient, names: readonly string[]): Promise<void> {
  const known = new Set([...NOTE_FIELDS, ...(await client.notes.fields()).map(({ key }) => key)]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new UsageError(`--set cannot change "${unknown}". Allowed: ${[...known].join(', ')}.`, EXIT.rowsRejected);
}

/** Replaces the fields of notes by those of a file. */
export async function setNoteFields({ client, io, output }: WorkspaceContext, file: string): Promise<void> {
  const fields = parse(await readText(file, io), `The file ${file}`) as NoteField[];
  const stored = await client.notes.setFields(fields);
  output.result(stored, () => `${formatCount(stored.length)} fields were stored.\n`);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FileError(`${what} ${describeJsonError(text)}.`);
  }
}
