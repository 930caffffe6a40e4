import { Connection, parseReply } from './connection.js';
import { CONNECTIONS, fire, type Load, LOAD_HEADERS, loadColumns, measureLoads, sendInTurn } from './load.js';
import { measure, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { buildForm, makeUnique, samplePhoto } from './sample-files.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, spread, verdictAtMost } from './table.js';

const LIMIT = 100;
const STEP = 500;

interface Page {
  data: { items: unknown[]; nextCursor: string | null };
}

/** Measures notes per second, without files and with a photo, and pages of a long list of notes. */
export async function benchNotes(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const creates = await measureCreates(stage, options, note);
  note(`list of ${integer(options.listedNotes)} notes`);
  await stage.addNotes(options.listedNotes);
  return [creates, await measurePages(stage, options, note), await measureSearches(stage, options, note)].join('\n\n');
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
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes?limit=${LIMIT}`;
  const paths: Record<string, string> = {
    'first page': path,
    'page in the middle': `${path}&cursor=${encodeURIComponent(await readMiddleCursor(stage, options.listedNotes))}`,
    'status=open&priority=high': `${path}&status=open&priority=high`,
    'assignee=maria': `${path}&assignee=maria`,
    'q=feed 77, in 1 % of them': `${path}&q=feed%2077`,
    'q=leak feed, in all of them': `${path}&q=leak%20feed`,
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

/** Measures milliseconds per response, one request at a time. */
async function measureSearches(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes?limit=${LIMIT}`;
  const searches: Record<string, { query: string; aimMs: number }> = {
    'rare: one note': { query: `q=feed%20${options.listedNotes - 1}`, aimMs: 20 },
    'unknown: no note': { query: 'q=zeppelin', aimMs: 20 },
    'common: 60 % of them': { query: 'q=pump', aimMs: 100 },
    'common, oldest change first': { query: 'q=pump&sort=updatedAt', aimMs: 100 },
    'common, with status=open': { query: 'q=pump&status=open', aimMs: 100 },
  };
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const figures = await measure(options.runs, async (index) => {
    note(`searches of notes: run ${index} of ${options.runs}`);
    const times: Record<string, number> = {};
    for (const [name, { query }] of Object.entries(searches)) {
      const send = async () => parseReply(await connection.get(`${path}&${query}`), 200);
      times[name] = (await secondsOf(send)) * 1000;
    }
    return times;
  });
  connection.close();
  const rows = Object.entries(figures).map(([name, times]) => [
    name,
    spread(times, milliseconds),
    ...verdictAtMost(times, searches[name]!.aimMs, (aim) => `${aim} ms`),
  ]);
  return [
    '## Searches of notes',
    '',
    `${integer(options.listedNotes)} notes in the workspace, pages of ${LIMIT}, one connection, one request at a time.`,
    '',
    markdownTable(['search', 'ms', 'aim', 'met'], rows),
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
