import { Connection, parseReply } from './connection.js';
import { CONNECTIONS, fire, type Load, LOAD_HEADERS, loadColumns, measureLoads, sendInTurn } from './load.js';
import type { Options } from './options.js';
import { buildForm, makeUnique, samplePhoto } from './sample-files.js';
import type { Stage } from './stage.js';
import { integer, markdownTable } from './table.js';

const LIMIT = 100;
const STEP = 500;

interface Page {
  data: { items: unknown[]; nextCursor: string | null };
}

/** Measures notes per second, without files and with a photo, and pages of a long list of notes. */
export async function benchNotes(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  return [await measureCreates(stage, options, note), await measurePages(stage, options, note)].join('\n\n');
}

async function measureCreates(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes`;
  const photo = await samplePhoto();
  const connections = Array.from(
    { length: CONNECTIONS },
    () => new Connection(stage.service.baseUrl, stage.authorization),
  );
  const fields = { title: 'Leak at the feed pump', description: 'Oil on the floor', priority: 'high' };
  const json = (files?: object[]) => Buffer.from(JSON.stringify({ ...fields, files }));
  const base64 = (file: Buffer) => ({ filename: 'photo.jpg', data: file.toString('base64') });
  const senders: Record<string, (connection: Connection) => Promise<unknown>> = {
    'JSON, no file': async (connection) => parseReply(await connection.post(path, json()), 201),
    'form, one photo': async (connection) =>
      parseReply(await connection.postForm(path, buildForm(fields.title, [makeUnique(photo)])), 201),
    'JSON, one photo': async (connection) =>
      parseReply(await connection.post(path, json([base64(makeUnique(photo))])), 201),
  };
  const loads = await measureLoads(Object.keys(senders), options.runs, async (name, index) => {
    note(`notes, ${name}: run ${index} of ${options.runs}`);
    return sendInTurn(stage.service, options.notes, async (connection) => {
      await senders[name]!(connections[connection]!);
    });
  });
  for (const connection of connections) connection.close();
  return [
    '## Notes',
    '',
    `${CONNECTIONS} connections, ${integer(options.notes)} notes of each kind per run, all in one workspace. The photo has`,
    `${integer(photo.length / 1000)} KB and is a new file each time. Thumbnails are created meanwhile in the same process.`,
    '',
    buildTable('note', loads),
  ].join('\n');
}

async function measurePages(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note(`list of ${integer(options.listedNotes)} notes`);
  await stage.addNotes(options.listedNotes);
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes?limit=${LIMIT}`;
  const paths: Record<string, string> = {
    'first page': path,
    'page in the middle': `${path}&cursor=${encodeURIComponent(await readMiddleCursor(stage, options.listedNotes))}`,
    'status=open&priority=high': `${path}&status=open&priority=high`,
    'assignee=maria': `${path}&assignee=maria`,
    'q=pump 77, in 1 % of them': `${path}&q=pump%2077`,
    'q=feed pump, in all of them': `${path}&q=feed%20pump`,
  };
  const loads = await measureLoads(Object.keys(paths), options.runs, async (name, index) => {
    note(`pages of notes, ${name}: run ${index} of ${options.runs}`);
    return fire(stage.service, paths[name]!, stage.authorization, options.authenticationSeconds);
  });
  return [
    '## Pages of notes',
    '',
    `${integer(options.listedNotes)} notes in the workspace, pages of ${LIMIT}, ${CONNECTIONS} connections.`,
    '',
    buildTable('page', loads),
  ].join('\n');
}

async function readMiddleCursor(stage: Stage, notes: number): Promise<string> {
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  let cursor: string | null = '';
  for (let read = 0; read < notes / 2; read += STEP) {
    const query: string = `limit=${STEP}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const page = parseReply(
      await connection.get(`/v2/api/workspaces/${stage.workspaceId}/notes?${query}`),
      200,
    ) as Page;
    cursor = page.data.nextCursor;
  }
  connection.close();
  if (!cursor) throw new Error('The list ended before its middle.');
  return cursor;
}

function buildTable(what: string, loads: Record<string, Load[]>): string {
  const rows = Object.entries(loads).map(([name, own]) => [name, ...loadColumns(own)]);
  return markdownTable(
    [what, ...LOAD_HEADERS.map((header) => header.replace('requests', what === 'note' ? 'notes' : 'pages'))],
    rows,
  );
}
