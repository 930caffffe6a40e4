import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AtriumError, Note, NoteInput } from '@atrium/client';
import type { WorkspaceContext } from './context.js';
import { unreadable } from './files/read-file.js';
import { readLines } from './files/text-blocks.js';
import { type ExitCode, exitCodeOf } from './exit-codes.js';
import { describeFailure, type ReportedError, type ServiceError } from './failure.js';
import { findLastResults, readLoadSummary } from './import/load-summary.js';
import { ERRORS_FILE } from './import/result-files.js';
import { type Io, toAbsolute } from './io.js';
import { writeText } from './output.js';

/** The reporter of new notes. People may change it: the external ID identifies a note. */
const REPORTER = 'atrium notes report';
/** Rows with the same error that have a note each. More rows have a common cause, and one note. */
const MAX_ROWS = 200;
/** Messages in the description of a note. */
const MAX_MESSAGES = 100;
const MAX_TITLE = 500;
/** Notes per request: the most that the service returns. */
const PAGE_NOTES = '500';
/** Requests at a time. */
const MAX_REQUESTS = 4;

type ReportFlags = Pick<NoteInput, 'assignee' | 'priority'>;

/** Errors that are one note. */
interface Finding {
  /** Undefined if the rows have no readable key, or are too many. */
  key: string | undefined;
  column: string | undefined;
  code: string;
  messages: Set<string>;
  count: number;
}

type NoteText = Pick<Note, 'title' | 'description'>;

const NO_COUNTS = { created: 0, reopened: 0, updated: 0, closed: 0, unchanged: 0, rejected: 0 };

type NoteCounts = typeof NO_COUNTS;

/** How many notes of a table were changed, and why the service has rejected others. */
interface TableCounts extends NoteCounts {
  table: string;
  errors: { title: string; message: string }[];
}

/** Errors of one note, which the rules of the workspace do not permit to be as it should be. */
const REJECTIONS: readonly (string | undefined)[] = ['invalid_note', 'invalid_transition', 'note_archived', 'archived'];

/** The statuses of a note whose error exists, and of one whose error does not exist any more. */
interface Workflow {
  unfinished: string[];
  initial: string;
  done: string | undefined;
}

/**
 * Creates a note for each error of the rows that loads have rejected, changes notes whose errors have changed, and
 * closes notes whose errors do not exist any more. A note that the service rejects remains as it is.
 *
 * @returns the exit code, by which notes were rejected
 * @throws {UsageError} if a folder has no results of a load
 */
export async function reportNotes(
  context: WorkspaceContext,
  directories: string[],
  flags: ReportFlags,
): Promise<ExitCode> {
  const { client, io, output } = context;
  const workflow = await readWorkflow(context);
  const known = new Map<string, NoteText>();
  const unfinished = { status: workflow.unfinished.join(), fields: 'externalId,title,description', limit: PAGE_NOTES };
  for await (const note of client.notes.list(unfinished))
    if (note.externalId !== null) known.set(note.externalId, note);
  // A table may be loaded in parts, each with a folder of its own.
  const tables = new Map<string, { of: { entity: string; table: string }; findings: Finding[] }>();
  const incomplete = new Set<string>();
  for (const given of directories) {
    const directory = await findLastResults(given, io);
    const { table, options, error } = await readLoadSummary(directory, io);
    if (error || !options) {
      output.remark(`${directory} does not have all errors of ${table}, so its notes remain as they are.`);
      incomplete.add(table.toLowerCase());
      continue;
    }
    const { entity } = options;
    const name = JSON.stringify([entity, table.toLowerCase()]);
    const { of, findings } = tables.get(name) ?? { of: { entity, table }, findings: [] };
    tables.set(name, { of, findings: [...findings, ...(await readFindings(join(directory, ERRORS_FILE), io))] });
  }
  const reports: TableCounts[] = [];
  for (const { of, findings } of tables.values()) {
    const report = new TableReport(context, workflow, known, of, flags);
    reports.push(await report.store(findings, !incomplete.has(of.table.toLowerCase())));
  }
  const errors = reports.flatMap((report) => report.errors);
  if (!output.json) for (const { title, message } of errors) writeText(io.stderr, `${title}: ${message}\n`);
  output.result(reports, () => reports.map(describeCounts).join(''));
  return exitCodeOf({ isRejected: errors.length > 0 });
}

async function readWorkflow({ client, workspaceId }: WorkspaceContext): Promise<Workflow> {
  const params = { path: { workspaceId } };
  const { statuses } = await client.get('/v2/api/workspaces/{workspaceId}/note-statuses', { params });
  const unfinished = statuses.filter(({ category }) => category !== 'done').map(({ key }) => key);
  const ofNew = statuses.find(({ category }) => category === 'open') ?? statuses[0]!;
  return {
    unfinished,
    initial: unfinished.includes('open') ? 'open' : ofNew.key,
    done: statuses.find(({ category }) => category === 'done')?.key,
  };
}

/** The errors of the rows of a load, by column, code and key. The memory does not grow with the number of rows. */
async function readFindings(path: string, io: Io): Promise<Finding[]> {
  const file = await open(toAbsolute(path, io)).catch(() => {
    throw unreadable(path, ' Load the table again with --results.');
  });
  const groups = new Map<string, { common: Finding; rows: Map<string, Finding> }>();
  for await (const { text } of readLines(file.createReadStream())) {
    const { line, key, column, code, message } = JSON.parse(text) as ReportedError;
    const name = JSON.stringify([column, code]);
    const toFinding = (of?: string): Finding => ({ key: of, column, code, messages: new Set(), count: 0 });
    const { common, rows } = groups.get(name) ?? { common: toFinding(), rows: new Map<string, Finding>() };
    groups.set(name, { common, rows });
    const position = key === undefined ? `Line ${line ?? ''}` : `Key ${key}`;
    addMessage(common, `${position}: ${message}`);
    const row = rows.get(key ?? '') ?? (rows.size > MAX_ROWS ? undefined : toFinding(key));
    if (!row) continue;
    rows.set(key ?? '', row);
    addMessage(row, key === undefined ? `${position}: ${message}` : message);
  }
  return [...groups.values()].flatMap(({ common, rows }) => (rows.size > MAX_ROWS ? [common] : [...rows.values()]));
}

function addMessage(finding: Finding, message: string): void {
  finding.count++;
  if (finding.messages.size < MAX_MESSAGES) finding.messages.add(message);
}

function joinFindings(one: Finding, other: Finding): Finding {
  const messages = [...new Set([...one.messages, ...other.messages])].slice(0, MAX_MESSAGES);
  return { ...one, messages: new Set(messages), count: one.count + other.count };
}

/** The notes of one table. */
class TableReport {
  private readonly counts: TableCounts;

  /** @param known unfinished notes by their external IDs, also those of other commands and of people */
  constructor(
    private readonly context: WorkspaceContext,
    private readonly workflow: Workflow,
    private readonly known: ReadonlyMap<string, NoteText>,
    private readonly of: { entity: string; table: string },
    private readonly fields: ReportFlags,
  ) {
    this.counts = { table: of.table, ...NO_COUNTS, errors: [] };
  }

  /** @param isComplete were all parts of the table loaded? Otherwise an error may still exist that is not found. */
  async store(findings: readonly Finding[], isComplete: boolean): Promise<TableCounts> {
    const prefix = `atrium-${digest([this.of.entity, this.of.table.toLowerCase()])}-`;
    const found = new Map<string, Finding>();
    for (const finding of findings) {
      const externalId = prefix + digest([finding.key, finding.column, finding.code]);
      const other = found.get(externalId);
      found.set(externalId, other ? joinFindings(other, finding) : finding);
    }
    const corrected = [...this.known.keys()].filter((id) => id.startsWith(prefix) && !found.has(id));
    await runEach([...found], ([externalId, finding]) => this.storeFinding(externalId, finding));
    const { done } = this.workflow;
    if (done === undefined || !isComplete) return this.counts;
    await runEach(corrected, async (externalId) => {
      const close = () => this.context.client.notes.create({ externalId, status: done });
      await this.write('closed', this.known.get(externalId)?.title ?? externalId, close);
    });
    return this.counts;
  }

  private async storeFinding(externalId: string, finding: Finding): Promise<void> {
    const { table } = this.of;
    const { key, column, code, messages, count } = finding;
    const title = `${table}${key === undefined ? '' : ` ${key}`}: ${column ?? code}`.slice(0, MAX_TITLE);
    const more = count > messages.size && messages.size === MAX_MESSAGES ? ['… and more'] : [];
    const description = [...messages, ...more].join('\n');
    const text = { externalId, title, description };
    const unfinished = this.known.get(externalId);
    if (!unfinished) return this.openNote(text, key);
    if (unfinished.title === title && unfinished.description === description) this.counts.unchanged++;
    else await this.write('updated', title, () => this.context.client.notes.create(text));
  }

  /** Writes and counts a note. A rejected one remains as it is; the others are written. */
  private async write(kind: keyof NoteCounts, title: string, send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
      this.counts[kind]++;
    } catch (error) {
      if (!REJECTIONS.includes((error as ServiceError).code)) throw error;
      this.counts.rejected++;
      this.counts.errors.push({ title, message: describeFailure(error as ServiceError, this.context.io) });
    }
  }

  /** Opens the note of the error again, whose other fields people may have changed, or creates it. */
  private async openNote(
    text: NoteInput & { externalId: string; title: string },
    key: string | undefined,
  ): Promise<void> {
    const { notes } = this.context.client;
    const status = this.workflow.initial;
    const { value: note } = await notes.list({ externalId: text.externalId, archived: 'all' }).next();
    if (!note) {
      const created = { ...text, status, reporter: REPORTER, ...this.fields };
      await this.write('created', text.title, () => this.create(created, key));
    } else if (note.archivedAt !== null) {
      // It has been dealt with.
      this.counts.unchanged++;
    } else await this.write('reopened', text.title, () => notes.create({ ...text, status }));
  }

  private async create(note: NoteInput, key: string | undefined): Promise<void> {
    const { notes } = this.context.client;
    await notes.create({ ...note, ...this.refer(key) }).catch((error: unknown) => {
      // A new row was rejected, and does not exist: the note has its key only in the title.
      if ((error as AtriumError).code !== 'unknown_row') throw error;
      return notes.create(note);
    });
  }

  /** Notes refer to rows of locations and assets. */
  private refer(key: string | undefined): NoteInput {
    const { entity, table } = this.of;
    if (key === undefined || entity === 'list') return {};
    return entity === 'asset' ? { asset: key, assetKey: table } : { location: key, locationKey: table };
  }
}

/** Runs a task for each entry, a few at a time. */
async function runEach<Entry>(entries: readonly Entry[], task: (entry: Entry) => Promise<void>): Promise<void> {
  const rest = entries.values();
  const runRest = async (): Promise<void> => {
    for (const entry of rest) await task(entry);
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, runRest));
}

function digest(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
}

/** For example `Equipment: 2 notes created, 1 closed`; empty for a table without notes. */
function describeCounts({ table, errors: _, ...counts }: TableCounts): string {
  const [first, ...others] = Object.entries(counts).filter(([, count]) => count > 0);
  if (!first) return '';
  const notes = `${first[1]} ${first[1] === 1 ? 'note' : 'notes'} ${first[0]}`;
  return `${table}: ${[notes, ...others.map(([name, count]) => `${count} ${name}`)].join(', ')}\n`;
}
