import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { Home } from '../support/home.js';
import { ObjectStorage } from '../support/object-storage.js';
import { Receiver } from '../support/receiver.js';
import { ROOT, TestService } from '../support/service.js';
import { findPostgresPrograms, SystemPostgres } from '../support/system-postgres.js';
import { until } from '../support/until.js';

const PICTURE = readFileSync(join(ROOT, 'test/fixtures/files/picture.png'));
const SECTION = '## Back up and restore';

/** The commands of the section in their order. */
function listCommands(): string[] {
  const guide = readFileSync(join(ROOT, 'docs/how-to/operating.md'), 'utf8');
  const start = guide.indexOf(`\n${SECTION}\n`);
  const section = guide.slice(start, guide.indexOf('\n## ', start + 1));
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
}

const [backUpFolder, restoreFolder, backUp, restore, ...others] = listCommands();

async function execute(commands: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands!], { cwd: ROOT, env });
  return stdout;
}

/** What a caller has stored. */
class Caller {
  constructor(
    readonly api: Api,
    readonly workspaceId: string,
  ) {}

  private get table(): string {
    return `/v2/api/workspaces/${this.workspaceId}/cw/assets/Pumps`;
  }

  async write(code: string): Promise<void> {
    const assets = [{ name: 'Pumps', columns: [{ key: 'code', name: 'Code', type: 'text' }], items: [{ code }] }];
    const { status } = await this.api.post(`/v2/api/workspaces/${this.workspaceId}/cw/assets/bulk`, { assets });
    // The first request creates the table.
    expect([200, 201]).toContain(status);
  }

  async attach(): Promise<string> {
    const body = new FormData();
    body.append('title', 'Type plate');
    body.append('files', new File([PICTURE], 'picture.png'));
    const path = `${this.api.baseUrl}/v2/api/workspaces/${this.workspaceId}/notes`;
    const response = await fetch(path, { method: 'POST', headers: this.api.headers, body });
    const { data } = (await response.json()) as { data: { id: string } };
    return data.id;
  }

  async rows(): Promise<string[]> {
    const { body } = await this.api.get(`${this.table}/items`);
    return (body.data.items as { code: string }[]).map(({ code }) => code);
  }

  /** The revision of the table. */
  async revision(): Promise<number> {
    return (await this.changes(0)).body.data.revision as number;
  }

  changes(since: number) {
    return this.api.get(`${this.table}/changes?since=${since}`);
  }

  events(after: number) {
    return this.api.get(`/v2/api/workspaces/${this.workspaceId}/events?after=${after}`);
  }

  async downloads(noteId: string): Promise<Buffer[]> {
    const { body } = await this.api.get(`/v2/api/workspaces/${this.workspaceId}/notes/${noteId}`);
    const files = body.data.files as { id: string; thumbnailUrl: string | null }[];
    return Promise.all(
      files.map(async ({ id }) => {
        const response = await fetch(`${this.api.baseUrl}/v1/api/attachments/${id}`, { headers: this.api.headers });
        return Buffer.from(await response.arrayBuffer());
      }),
    );
  }
}

/** Replaces the content of the files below a folder, not their size. */
function damageFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) writeFileSync(path, Buffer.alloc(statSync(path).size));
  }
}

it('has four blocks of commands: back up and restore, by folder and by database', () => {
  expect(backUpFolder).toContain('tar ');
  expect(backUp).toContain('pg_dump');
  expect(others).toEqual([]);
});

it('restores a folder with the embedded PostgreSQL', async () => {
  const home = await Home.make();
  const folder = mkdtempSync(join(tmpdir(), 'atrium-backup-'));
  const dataDir = join(home.path, '.data');
  const env = { ...process.env, DATA_DIR: dataDir, BACKUP: folder };
  const openCaller = () => {
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8')) as Record<string, string>;
    return new Caller(new Api(home.baseUrl).withKey(demo['apiKey']!), demo['workspaceId']!);
  };
  try {
    await home.start();
    const before = openCaller();
    await before.write('P-1');
    const noteId = await before.attach();
    await home.stop();
    await execute(backUpFolder, env);

    const postgres = realpathSync(join(dataDir, 'postgres'));
    for (const path of [postgres, dataDir]) rmSync(path, { recursive: true, force: true });
    expect(existsSync(dataDir)).toBe(false);
    await execute(restoreFolder, { ...env, DATABASE_URL: '', NODE_ENV: 'development' });
    await home.start();
    const after = openCaller();
    expect(await after.rows()).toEqual(['P-1']);
    expect(await after.downloads(noteId)).toEqual([PICTURE]);
  } finally {
    await home.stop();
    home.remove();
    rmSync(folder, { recursive: true });
  }
});

const programs = findPostgresPrograms();
if (!programs) process.stderr.write('backup: skipped, because PostgreSQL with pg_dump is not installed\n');

(programs ? describe : describe.skip)('with DATABASE_URL', () => {
  const PATH = `${programs}:${process.env['PATH']}`;
  let postgres: SystemPostgres;

  beforeAll(async () => {
    postgres = await SystemPostgres.start(programs!);
  });

  afterAll(() => postgres?.stop());

  it.each(['on the local disk', 'in S3'])(
    'restores database and files %s into empty ones',
    async (where) => {
      const folder = mkdtempSync(join(tmpdir(), 'atrium-backup-'));
      const buckets = where === 'in S3' ? [await ObjectStorage.start(), await ObjectStorage.start()] : [];
      const name = where === 'in S3' ? 's3' : 'disk';
      const receiver = await Receiver.start();
      const settings = { EVENTS_ALLOW_HTTP: 'true', EVENTS_ALLOWED_NETWORKS: '127.0.0.1' };
      const services: TestService[] = [];
      const start = async (url: string, storage: Record<string, string> = {}) => {
        services.push(await TestService.start({ url }, { ...settings, ...storage }));
        return services.at(-1)!;
      };
      const toEnv = (service: TestService) => ({ ...service.env, PATH, BACKUP: folder, NODE_OPTIONS: '' });
      try {
        const first = await start(await postgres.create(`${name}_1`), buckets[0]?.settings);
        const { apiKey, workspaceId } = await first.provision();
        const before = new Caller(new Api(first.baseUrl).withKey(apiKey), workspaceId);
        await before.api.post(`/v2/api/workspaces/${workspaceId}/subscriptions`, {
          url: receiver.url,
          events: ['table.rows_changed'],
        });
        await before.write('P-1');
        const noteId = await before.attach();
        // An event that the backup contains without its number would get one after the skipped numbers.
        await until(
          async () => (await before.events(0)).body.data.events as { type: string }[],
          (events) => events.some(({ type }) => type === 'note.created'),
        );
        // The service runs during the backup.
        await execute(backUp, toEnv(first));
        // The second backup copies nothing again.
        const again = await first.operator<object>('backup', 'files', join(folder, 'files'));
        expect(again).toEqual({ copied: 0, bytes: 0, present: 1, errors: [] });
        // A damaged copy of the same size is found by its content.
        damageFiles(join(folder, 'files'));
        const repaired = await first.operator<object>('backup', 'files', join(folder, 'files'), '--verify');
        expect(repaired).toMatchObject({ copied: 1, present: 0, errors: [] });
        for (const code of ['P-2', 'P-3', 'P-4']) await before.write(code);
        const lost = { revision: await before.revision(), events: (await before.events(0)).body.data.latestSequence };
        await until(() => receiver.received.length >= 4, Boolean);
        await first.stop();

        // The settings of the next service, whose database and storage are empty.
        const url = await postgres.create(`${name}_2`);
        const dataDir = join(folder, 'restored');
        const restored = { ...toEnv(first), DATABASE_URL: url, DATA_DIR: dataDir, ...buckets[1]?.settings };
        const output = await execute(restore, restored);
        expect(output).toContain('1 files copied');
        expect(output).toContain('match their rows');
        expect(readdirSync(join(dataDir, buckets[1] ? '' : 'files'))).toEqual(
          buckets[1] ? ['temporary'] : [workspaceId],
        );

        const second = await start(url, { DATA_DIR: dataDir, ...buckets[1]?.settings });
        const after = new Caller(new Api(second.baseUrl).withKey(apiKey), workspaceId);
        expect(await after.rows()).toEqual(['P-1']);
        expect(await after.downloads(noteId)).toEqual([PICTURE]);

        // Without the last command, new changes would get the numbers of lost ones.
        expect((await after.changes(lost.revision)).body).toMatchObject({ status: 410, error: 'revision_gone' });
        expect((await after.events(lost.events as number)).body).toMatchObject({
          status: 410,
          error: 'events_removed',
        });
        const revision = await after.revision();
        await after.write('P-5');
        const { body } = await after.changes(revision);
        expect(body.data.items).toEqual([expect.objectContaining({ key: 'P-5', deleted: false })]);
        const { limit } = (await after.events(lost.events as number)).body.details as { limit: number };
        const events = (await after.events(limit)).body.data.events as { data: { fromRevision: number } }[];
        expect(events.map(({ data }) => data.fromRevision)).toEqual([revision]);
        // Subscriptions continue after the skipped numbers.
        await until(() => receiver.received.some(({ event }) => event.data.fromRevision === revision), Boolean);
      } finally {
        await Promise.all(services.map((service) => service.stop()));
        await Promise.all(buckets.map((bucket) => bucket.stop()));
        receiver.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    180_000,
  );
});
