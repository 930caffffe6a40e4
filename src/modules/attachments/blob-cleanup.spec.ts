import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Api } from '../../../test/support/api.js';
import type { Credentials } from '../../../test/support/credentials.js';
import { base64, newPicture, sha256 } from '../../../test/support/files.js';
import { TestDatabase, TestService } from '../../../test/support/service.js';
import { manyRows } from '../../../test/support/tables.js';
import type { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { SnakeCaseNaming } from '../../platform/database/snake-case-naming.js';
import { DiskStorage } from '../../platform/storage/disk-storage.js';
import { blobKey } from './blob-keys.js';
import { Blob } from './blob.entity.js';
import { BlobCleanup } from './blob-cleanup.js';

/** Long after any request of these tests is over. */
const UNCLAIMED_AFTER_S = 600;

describe('the sweeper', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let service: TestService;
  let me: Credentials;
  let api: Api;
  /** What the service does every few minutes, at once. */
  let sweep: () => Promise<number>;

  beforeAll(async () => {
    server = await TestDatabase.create();
    // The service's own sweeps stay away.
    service = await TestService.start(server, { CLEANUP_INTERVAL_S: '86400' });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    dataSource = new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [Blob],
      namingStrategy: new SnakeCaseNaming(),
    });
    await dataSource.initialize();
    const cleanup = {
      register: (_: string, removal: (batch: number) => Promise<number>) => (sweep = () => removal(1_000)),
    };
    new BlobCleanup(
      new Database(dataSource),
      new DiskStorage({ dataDir: service.env['DATA_DIR']! }),
      cleanup as unknown as CleanupJobs,
      { attachments: { unclaimedAfterS: UNCLAIMED_AFTER_S } } as Config,
    ).onModuleInit();
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await service?.stop();
    await server?.drop();
  });

  const keep = (bytes: Buffer, more: object = {}) =>
    api.post(`/v2/api/workspaces/${me.workspaceId}/notes`, { files: [base64('a.png', bytes)], ...more });
  /** The bytes land, and then the note is refused. */
  const leave = async (bytes: Buffer) => expect((await keep(bytes, { status: 'unheard-of' })).status).toBe(422);
  const age = (seconds: number, ...files: Buffer[]) =>
    server.query(
      `UPDATE blobs SET touched_at = clock_timestamp() - make_interval(secs => $1) WHERE sha256 = ANY ($2::text[])`,
      [seconds, files.map(sha256)],
    );
  const pathOf = (bytes: Buffer) => join(service.env['DATA_DIR']!, 'files', blobKey(me.workspaceId, sha256(bytes)));
  /** Is there a row, and are there bytes? */
  const kept = async (bytes: Buffer) => {
    const rows = await server.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)]);
    return [rows.length === 1, existsSync(pathOf(bytes))];
  };

  it('removes bytes that no record claims, when their time is over, and no others', async () => {
    const [claimed, young, old] = [newPicture(), newPicture(), newPicture()];
    expect((await keep(claimed)).status).toBe(201);
    await leave(young);
    await leave(old);
    await age(UNCLAIMED_AFTER_S - 60, young);
    await age(UNCLAIMED_AFTER_S + 1, claimed, old);
    expect(await sweep()).toBe(1);
    expect(await kept(claimed)).toEqual([true, true]);
    expect(await kept(young)).toEqual([true, true]);
    expect(await kept(old)).toEqual([false, false]);
  });

  it('leaves alone what another has brought again', async () => {
    const bytes = newPicture();
    await leave(bytes);
    await age(UNCLAIMED_AFTER_S + 1, bytes);
    expect((await keep(bytes)).status).toBe(201);
    await sweep();
    expect(await kept(bytes)).toEqual([true, true]);
  });

  it('lets whoever took longer than bytes are kept know that nothing was stored', async () => {
    const bytes = newPicture();
    expect((await keep(newPicture())).status).toBe(201);
    // A note takes its number after its bytes have landed, and before it claims them.
    const release = await server.lock('SELECT FROM note_counters FOR UPDATE');
    const keeping = keep(bytes);
    while ((await kept(bytes)).includes(false)) await delay(20);
    await age(UNCLAIMED_AFTER_S + 1, bytes);
    expect(await sweep()).toBe(1);
    await release();
    const { status, headers, body } = await keeping;
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'upload_expired', '1']);
    expect(await kept(bytes)).toEqual([false, false]);
    expect((await keep(bytes)).status).toBe(201);
  });

  it('never takes bytes from under a record that claims them at this very moment', async () => {
    let swept = 0;
    const files: { id: string; sent: string }[] = [];
    for (let round = 0; round < 12; round++) {
      const pictures = manyRows(8, () => newPicture());
      await Promise.all(pictures.map(leave));
      await age(UNCLAIMED_AFTER_S + 1, ...pictures);
      const sweeping = [0, 1].map(async () => {
        await delay(Math.random() * 30);
        swept += await sweep();
      });
      const bringing = pictures.map(async (bytes) => {
        await delay(Math.random() * 20);
        const { status, body } = await keep(bytes);
        expect(status).toBe(201);
        files.push({ id: body.data.files[0].id, sent: sha256(bytes) });
      });
      await Promise.all([...sweeping, ...bringing]);
    }
    expect(swept).toBeGreaterThan(0);
    for (const { id, sent } of files) {
      const response = await fetch(`${service.baseUrl}/v1/api/attachments/${id}`, { headers: api.headers });
      expect([response.status, sha256(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, sent]);
    }
  });
});
