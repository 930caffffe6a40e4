import { Connection, parsed } from './connection.js';
import { CONNECTIONS, fire, type Load, LOAD_HEADERS, loadColumns, sendInTurn } from './load.js';
import { measure } from './measure.js';
import type { Options } from './options.js';
import { another, formOf, samplePhoto } from './sample-files.js';
import type { Stage } from './stage.js';
import { integer, markdownTable } from './table.js';

const LIMIT = 100;
const STEP = 500;

interface Page {
  data: { items: unknown[]; nextCursor: string | null };
}

/** Notes a second, without files and with a photo, and pages of a long list of them. */
export async function benchNotes(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  return [await creates(stage, options, note), await lists(stage, options, note)].join('\n\n');
}

async function creates(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
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
    'JSON, no file': async (connection) => parsed(await connection.post(path, json()), 201),
    'form, one photo': async (connection) =>
      parsed(await connection.postForm(path, formOf(fields.title, [another(photo)])), 201),
    'JSON, one photo': async (connection) => parsed(await connection.post(path, json([base64(another(photo))])), 201),
  };
  const loads = await repeated(Object.keys(senders), options, async (name, index) => {
    note(`notes, ${name}: run ${index} of ${options.runs}`);
    return sendInTurn(stage.service, options.notes, async (at) => {
      await senders[name]!(connections[at]!);
    });
  });
  for (const connection of connections) connection.close();
  return [
    '## Notes',
    '',
    `${CONNECTIONS} connections, ${integer(options.notes)} notes of each kind a run, all in one workspace. The photo has`,
    `${integer(photo.length / 1000)} KB, and is another file each time. Small pictures are made meanwhile, in the same process.`,
    '',
    table('note', loads),
  ].join('\n');
}

async function lists(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note(`list of ${integer(options.listedNotes)} notes`);
  await stage.addNotes(options.listedNotes);
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes?limit=${LIMIT}`;
  const paths: Record<string, string> = {
    'first page': path,
    'page in the middle': `${path}&cursor=${encodeURIComponent(await cursorInTheMiddle(stage, options.listedNotes))}`,
    'status=open&priority=high': `${path}&status=open&priority=high`,
    'assignee=maria': `${path}&assignee=maria`,
    'q=pump 77, which 1 % have': `${path}&q=pump%2077`,
    'q=feed pump, which all have': `${path}&q=feed%20pump`,
  };
  const loads = await repeated(Object.keys(paths), options, async (name, index) => {
    note(`pages of notes, ${name}: run ${index} of ${options.runs}`);
    return fire(stage.service, paths[name]!, stage.authorization, options.authenticationSeconds);
  });
  return [
    '## Pages of notes',
    '',
    `${integer(options.listedNotes)} notes in the workspace, pages of ${LIMIT}, ${CONNECTIONS} connections.`,
    '',
    table('page', loads),
  ].join('\n');
}

async function cursorInTheMiddle(stage: Stage, notes: number): Promise<string> {
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  let cursor: string | null = '';
  for (let passed = 0; passed < notes / 2; passed += STEP) {
    const query: string = `limit=${STEP}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const page = parsed(await connection.get(`/v2/api/workspaces/${stage.workspaceId}/notes?${query}`), 200) as Page;
    cursor = page.data.nextCursor;
  }
  connection.close();
  if (!cursor) throw new Error('The list ended before its middle.');
  return cursor;
}

/** Loads of each kind, run by run, in every other run the other way about. */
async function repeated(
  names: readonly string[],
  { runs }: Options,
  load: (name: string, index: number) => Promise<Load>,
): Promise<Record<string, Load[]>> {
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]]));
  await measure(runs, async (index) => {
    for (const name of index % 2 === 0 ? names.toReversed() : names) {
      const own = await load(name, index);
      if (index > 0) loads[name]!.push(own);
    }
    return {};
  });
  return loads;
}

function table(what: string, loads: Record<string, Load[]>): string {
  const rows = Object.entries(loads).map(([name, own]) => [name, ...loadColumns(own)]);
  return markdownTable(
    [what, ...LOAD_HEADERS.map((header) => header.replace('requests', what === 'note' ? 'notes' : 'pages'))],
    rows,
  );
}
