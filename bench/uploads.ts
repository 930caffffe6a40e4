import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from './connection.js';
import { inTurn, measure, ratios } from './measure.js';
import type { Options } from './options.js';
import { buildForm, makeUnique, samplePhoto } from './sample-files.js';
import type { Stage } from './stage.js';
import { markdownTable, megabytes, ratio, spread, verdict } from './table.js';

const MIB = 1024 * 1024;
const FILES = 10;
const FILE_BYTES = 20 * MIB;
const AIM = { ofBareHttp: 1 / 3, growthBytes: 300_000_000 };

/** Concurrent uploads of 20 MiB each. */
const FORMS = 20;
const BODIES = 16;

const run = promisify(execFile);

/** Measures a note with ten large files, compared with a bare server that writes the same bytes, and the memory for large files. */
export async function benchUploads(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  return [await measureSpeed(stage, options, note), await measureMemory(stage, options, note)].join('\n\n');
}

async function measureSpeed(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const heading = `## A note with ${FILES} files of 20 MiB`;
  if (!(await hasCurl())) return `${heading}\n\nNot measured: curl is not installed.`;
  const folder = join(stage.dir, 'uploads');
  await mkdir(folder);
  const paths = await createFiles(folder);
  const floor = await stage.startFloor('hash-to-disk', folder);
  const megabytesPerSecond = async (url: string): Promise<number> => {
    await changeFiles(paths);
    return (FILES * FILE_BYTES) / 1e6 / (await uploadWithCurl(url, paths, stage.authorization['authorization']!));
  };
  const service = `${stage.service.baseUrl}/v2/api/workspaces/${stage.workspaceId}/notes`;
  const figures = await measure(options.runs, (index) => {
    note(`large files: run ${index} of ${options.runs}`);
    return inTurn(index, {
      service: () => megabytesPerSecond(service),
      bareHttp: () => megabytesPerSecond(floor.baseUrl),
    });
  });
  const ofBareHttp = ratios(figures.service, figures.bareHttp);
  const row = [spread(figures.service), spread(figures.bareHttp), spread(ofBareHttp, ratio)];
  return [
    heading,
    '',
    'One form, sent and timed by curl, with new bytes each time.',
    '',
    markdownTable(
      ['service MB/s', 'bare http MB/s', 'of bare http', 'aim', 'met'],
      [[...row, ...verdict(ofBareHttp, AIM.ofBareHttp)]],
    ),
  ].join('\n');
}

/** Uploads the files. @returns the seconds that curl measured. @throws Error with the response, if the status is not 201. */
async function uploadWithCurl(url: string, paths: readonly string[], authorization: string): Promise<number> {
  const files = paths.flatMap((path) => ['-F', `files=@${path}`]);
  const args = ['-sS', '-w', '\n%{http_code} %{time_total}', '-H', `Authorization: ${authorization}`, ...files, url];
  const { stdout } = await run('curl', args);
  const [status, seconds] = stdout.slice(stdout.lastIndexOf('\n') + 1).split(' ');
  if (status !== '201') throw new Error(`Expected status 201, received: ${stdout.slice(0, 500)}`);
  return Number(seconds);
}

async function hasCurl(): Promise<boolean> {
  return run('curl', ['--version']).then(
    () => true,
    () => false,
  );
}

async function createFiles(folder: string): Promise<string[]> {
  const photo = await samplePhoto();
  const paths = Array.from({ length: FILES }, (_, index) => join(folder, `${index}.jpg`));
  for (const path of paths) await writeFile(path, enlarge(photo));
  return paths;
}

/** Overwrites bytes of each file, so that no storage contains it. */
async function changeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = await open(path, 'r+');
    await file.write(randomBytes(16), 0, 16, FILE_BYTES - 16);
    await file.close();
  }
}

/** Pads an image to 20 MiB behind its end. */
function enlarge(photo: Buffer): Buffer {
  return Buffer.concat([photo, Buffer.alloc(FILE_BYTES - photo.length)]);
}

async function measureMemory(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const photo = await samplePhoto();
  const path = `/v2/api/workspaces/${stage.workspaceId}/notes`;
  const base64Bytes = Math.floor(((FILE_BYTES - 200) * 3) / 4);
  const body = () => {
    const data = Buffer.concat([makeUnique(photo), Buffer.alloc(base64Bytes)])
      .subarray(0, base64Bytes)
      .toString('base64');
    return Buffer.from(JSON.stringify({ title: 'Flood', files: [{ filename: 'large.jpg', data }] }));
  };
  const floods: [name: string, count: number, send: (connection: Connection) => Promise<{ status: number }>][] = [
    ['forms', FORMS, (connection) => connection.postForm(path, buildForm('Flood', [enlarge(makeUnique(photo))]))],
    ['JSON bodies', BODIES, (connection) => connection.post(path, body())],
  ];
  const rows: string[][] = [];
  for (const [name, count, send] of floods) {
    for (let index = 1; index <= options.runs; index++) {
      note(`memory, ${name}: run ${index} of ${options.runs}`);
      rows.push([`${count} ${name}`, String(index), ...(await flood(stage, count, send))]);
    }
  }
  return [
    '## Memory while files of 20 MiB arrive at once',
    '',
    'A new service per run. Every status except 201 and 503 with Retry-After is a failure. A JSON body has 20 MiB in total.',
    '',
    markdownTable(
      ['at once', 'run', 'stored', '503', 'failures', 'peak before', 'peak then', 'growth', 'under 300 MB'],
      rows,
    ),
  ].join('\n');
}

async function flood(
  stage: Stage,
  count: number,
  send: (connection: Connection) => Promise<{ status: number }>,
): Promise<string[]> {
  const service = await stage.startService();
  const connections = Array.from({ length: count }, () => new Connection(service.baseUrl, stage.authorization));
  // The first note loads code; its memory must not count.
  await connections[0]!.post(`/v2/api/workspaces/${stage.workspaceId}/notes`, Buffer.from('{}'));
  const before = service.peakMemory();
  const statuses = await Promise.all(
    connections.map(async (each) => (await send(each).catch(() => undefined))?.status),
  );
  const peak = service.peakMemory();
  for (const connection of connections) connection.close();
  await service.stop();
  const countStatus = (wanted: number) => statuses.filter((status) => status === wanted).length;
  const growth = peak === undefined ? undefined : peak - before!;
  return [
    String(countStatus(201)),
    String(countStatus(503)),
    String(count - countStatus(201) - countStatus(503)),
    megabytes(before),
    megabytes(peak),
    megabytes(growth),
    growth === undefined ? 'not measured' : growth < AIM.growthBytes ? 'yes' : 'no',
  ];
}
