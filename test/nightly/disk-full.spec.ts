import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { form, sendForm } from '../support/files.js';
import { TestDatabase, TestService } from '../support/service.js';
import { SmallDisk } from '../support/small-disk.js';
import { column, type Item, keyAt, manyRows, Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** Enough for the migrated database and the rows below. */
const DISK_MIB = 256;
/** Enough for a few pictures. */
const FILES_DISK_MIB = 4;
const ROWS = 5_000;
const TABLE = 'Equipment';
const COLUMNS = [text('Key'), text('Text'), column('Batch', 'number')];

const disk = SmallDisk.mount(DISK_MIB);
if (!disk) process.stderr.write('disk-full: skipped, because only root can mount a file system\n');

(disk ? describe : describe.skip)('when the disk of PostgreSQL is full', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;
  let tables: Tables;

  beforeAll(async () => {
    database = await disk!.createDatabase();
    service = await TestService.start(database);
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    tables = Tables.of(service, me);
  });

  afterAll(async () => {
    expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
    await service?.stop();
    await database?.dropWithTablespace();
    disk!.unmount();
  });

  const batchAt = (batch: number): Item[] =>
    manyRows(ROWS, (position) => ({ key: keyAt(batch * ROWS + position), text: 'x'.repeat(200), batch }));
  const push = (batch: number) => tables.bulk('assets', { name: TABLE, columns: COLUMNS, items: batchAt(batch) });
  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;
  const countBatches = async () =>
    (await tables.read('assets', TABLE, { limit: 1, count: 'exact' })).body.data.total / ROWS;

  it('writes return 503 storage_full, reads continue, nothing is stored in part, and writes recover', async () => {
    expect((await push(0)).status).toBe(201);
    expect((await api.post(notes(), { title: 'Leak' })).status).toBe(201);
    disk!.fill();

    let stored = 1;
    const first = await until(
      async () => {
        const answer = await push(stored);
        if (answer.status === 200) stored++;
        return answer;
      },
      ({ status }) => status !== 200,
    );
    expect(first).toMatchObject({ status: 503, body: { error: 'storage_full' } });
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, body, headers } = await push(stored);
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'storage_full' });
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }

    expect(await countBatches()).toBe(stored);
    expect(await tables.rows('assets', TABLE, { limit: 5_000 })).toEqual(manyRows(stored, batchAt).flat());
    expect((await api.get(notes())).body.data.items).toMatchObject([{ title: 'Leak' }]);
    expect((await api.get('/health/ready')).status).toBe(200);
    expect((await api.get('/metrics')).body).toMatch(
      /^http_errors_total\{status="503",code="storage_full",disk="PostgreSQL"\} [6-9]$/m,
    );
    const alarms = service.output
      .join('')
      .split('\n')
      .filter((line) => line.includes('DatabaseAlarm'));
    expect(alarms).toHaveLength(1);

    disk!.free();
    expect((await push(stored)).status).toBe(200);
    expect((await api.post(notes(), { title: 'Recovered' })).status).toBe(201);
    expect(await countBatches()).toBe(stored + 1);
  });
});

const filesDisk = disk && SmallDisk.mount(FILES_DISK_MIB);

(filesDisk ? describe : describe.skip)('when the disk of DATA_DIR is full', () => {
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { DATA_DIR: filesDisk!.createFolder() });
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    filesDisk!.unmount();
  });

  it('files return 503 storage_full, the metrics and the log name the disk, and files are stored afterwards', async () => {
    const me = await service.provision();
    const api = new Api(service.baseUrl).withKey(me.apiKey);
    const notes = `/v2/api/workspaces/${me.workspaceId}/notes`;
    const readMetrics = async () => (await api.get('/metrics')).body as string;
    const freeBytes = async () => Number(/^disk_free_bytes\{disk="DATA_DIR"\} (\d+)$/m.exec(await readMetrics())![1]);
    expect(await readMetrics()).toContain(`disk_size_bytes{disk="DATA_DIR"} ${FILES_DISK_MIB * 1024 * 1024}\n`);
    expect(await freeBytes()).toBeGreaterThan(1024 * 1024);
    filesDisk!.fill();
    await until(async () => (await freeBytes()) < 65_536);
    expect(await sendForm(api, notes, form({}, ['picture.png']))).toMatchObject({
      status: 503,
      body: { error: 'storage_full', message: expect.stringContaining('file storage') },
    });
    expect(await readMetrics()).toContain('http_errors_total{status="503",code="storage_full",disk="DATA_DIR"} 1\n');
    expect(service.output.join('')).toMatch(/"DiskAlarm".*The disk of DATA_DIR is full|DATA_DIR is full.*"DiskAlarm"/);
    filesDisk!.free();
    expect((await sendForm(api, notes, form({}, ['picture.png']))).status).toBe(201);
  });
});
