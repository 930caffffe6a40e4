import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { base64, file, form, newPicture, picture, sendForm, sha256 } from '../support/files.js';
import { OperatorProcess } from '../support/operator.js';
import { TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { manyRows } from '../support/tables.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
const NOTES = '/v1/api/notes';

let service: SharedService;
let database: Database;

beforeAll(async () => {
  ({ service, database } = await shareService());
});

describe('attachments verify with 10,000 files', () => {
  let operator: OperatorProcess;
  let store: string;
  let audited: Credentials;
  const files = manyRows(10_000, (at) => Buffer.from(`File ${at}`));
  const hashes = files.map(sha256);
  const blobPath = ({ workspaceId }: Credentials, hash: string) =>
    join(store, 'files', workspaceId, 'files', hash.slice(0, 2), hash);
  const keyOf = (hash: string) => `${audited.workspaceId}/files/${hash.slice(0, 2)}/${hash}`;
  const verify = (...more: string[]) =>
    operator.run('attachments', 'verify', '--workspace', audited.workspaceId, ...more);

  beforeAll(async () => {
    audited = await service.provision();
    store = service.env['DATA_DIR']!;
    operator = new OperatorProcess(store, service.env);
    for (const at of files.keys()) {
      const path = blobPath(audited, hashes[at]!);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, files[at]!);
    }
    await database.query(
      `WITH stored AS (
         INSERT INTO blobs (workspace_id, sha256, size, content_type, touched_at, preview)
         SELECT $1, sha256, size, 'image/png', now(), 'none' FROM unnest($2::text[], $3::bigint[]) AS f (sha256, size)
         RETURNING sha256)
       INSERT INTO attachments (workspace_id, id, owner_id, sha256, filename)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), sha256, 'a.png' FROM stored`,
      [audited.workspaceId, hashes, files.map(({ length }) => length)],
    );
  });

  it('attachments verify reports that all files match their rows', async () => {
    const { code, stdout, stderr } = await verify();
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    const report = `All 10000 files (${bytes} bytes) match their rows.`;
    expect([code, stdout.trim(), code === 0 ? '' : stderr]).toEqual([0, report, '']);
  });

  it('attachments verify lists each damaged, missing and unknown file', async () => {
    const [damaged, missing] = hashes as [string, string];
    writeFileSync(blobPath(audited, damaged), 'Film 0');
    rmSync(blobPath(audited, missing));
    const unknown = sha256(Buffer.from('unknown'));
    for (const [name, age] of [
      [unknown, 7 * 3_600] as const,
      [sha256(Buffer.from('upload in progress')), 0] as const,
    ]) {
      const path = blobPath(audited, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'unknown');
      utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
    }
    const { code, stdout } = await verify('--json');
    expect(code).toBe(1);
    const { errors, files: read } = JSON.parse(stdout);
    expect(read).toBe(9_999);
    expect(errors.sort((a: any, b: any) => (a.problem < b.problem ? -1 : 1))).toEqual([
      { problem: 'damaged', key: keyOf(damaged), attachments: 1 },
      { problem: 'missing', key: keyOf(missing), attachments: 1 },
      { problem: 'unknown', key: keyOf(unknown), attachments: 0 },
    ]);
    // Without a workspace, all of them are read.
    const all = JSON.parse((await operator.run('attachments', 'verify', '--json')).stdout);
    expect(all.files).toBeGreaterThanOrEqual(read);
    expect(all.errors).toEqual(expect.arrayContaining(errors));
  });
});

(process.platform === 'linux' ? describe : describe.skip)('peak memory (measured only on Linux)', () => {
  let fresh: TestService;
  let caller: Api;
  let idle: number;
  let projectId: string;

  beforeAll(async () => {
    fresh = await TestService.start(database);
    caller = new Api(fresh.baseUrl).withKey((await fresh.provision()).apiKey);
    projectId = (await caller.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
    // Memory for modules that the first files load, such as the image library, is not counted.
    const small = [
      await caller.post(NOTES, { projectId, files: [base64('picture.png')] }),
      await sendForm(caller, NOTES, form({ projectId }, ['picture.png'])),
    ];
    expect(small.map(({ status }) => status)).toEqual([201, 201]);
    idle = fresh.peakMemory()!;
  });

  afterAll(() => fresh?.stop());

  /** Names of the temporary files of the service. */
  const temporaryFiles = () => {
    const folder = join(fresh.env['DATA_DIR']!, 'temporary');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  /** Expects 201 or 503; returns the number of 503 responses. */
  const countRejected = (answers: ApiResponse[]) => {
    for (const { status, headers, body } of answers) {
      expect([201, 503]).toContain(status);
      if (status === 201) continue;
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.error).toBe('overloaded');
    }
    return answers.filter(({ status }) => status === 503).length;
  };

  it('stays below 300 MiB while twenty forms of 20 MiB are stored at once', async () => {
    const bytes = newPicture(20 * MIB);
    const answers = await Promise.all(
      manyRows(20, () => sendForm(caller, NOTES, form({ projectId }, [file('large.png', bytes)]))),
    );
    expect(countRejected(answers)).toBe(0);
    expect(fresh.peakMemory()! - idle).toBeLessThan(300 * MIB);
  });

  it('stays within 300 MiB while 16 JSON bodies of 20 MB arrive at once; the rest returns 503 with Retry-After', async () => {
    const data = picture(15_000_000).toString('base64');
    const body = Buffer.from(JSON.stringify({ projectId, files: [{ filename: 'large.png', data }] }));
    expect(body.length).toBeGreaterThan(20_000_000);
    const answers = await Promise.all(manyRows(16, () => caller.post(NOTES, body)));
    const rejected = countRejected(answers);
    expect(rejected).toBeGreaterThan(0);
    expect(rejected).toBeLessThan(16);
    expect(fresh.peakMemory()! - idle).toBeLessThanOrEqual(300 * MIB);
    // A file is removed after the response.
    await until(temporaryFiles, (names) => names.length === 0, 1_000);
  });
});
