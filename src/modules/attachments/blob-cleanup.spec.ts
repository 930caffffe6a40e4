import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Api } from '../../../test/support/api.js';
import type { Credentials } from '../../../test/support/credentials.js';
import { base64, newPicture, sha256 } from '../../../test/support/files.js';
import { TestDatabase, TestService } from '../../../test/support/service.js';
import { manyRows } from '../../../test/support/tables.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import { Database } from '../../platform/database/database.js';
import { SnakeCaseNaming } from '../../platform/database/snake-case-naming.js';
import { DiskStorage } from '../../platform/storage/disk-storage.js';
import { AttachmentsRepository } from './attachments.repository.js';
import { blobKey } from './blob-keys.js';
import { StoredBlob } from './stored-blob.entity.js';
import { BlobCleanup, UNCLAIMED_AFTER_S } from './blob-cleanup.js';

describe('blob cleanup', () => {
  let server: TestDatabase;
  let dataSource: DataSource;
  let service: TestService;
  let me: Credentials;
  let api: Api;
  /** Runs the cleanup job once. */
  let clean: () => Promise<number>;

  beforeAll(async () => {
    server = await TestDatabase.create();
    // The cleanup job of the service itself must not run during these tests.
    service = await TestService.start(server, { CLEANUP_INTERVAL_S: '86400' });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    dataSource = new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [StoredBlob],
      namingStrategy: new SnakeCaseNaming(),
    });
    await dataSource.initialize();
    const cleanup = {
      cleanUp: (_: string, removal: (batch: number) => Promise<number>) => (clean = () => removal(1_000)),
    };
    const database = new Database(dataSource);
    new BlobCleanup(
      database,
      new AttachmentsRepository(database),
      new DiskStorage({ dataDir: service.env['DATA_DIR']! }),
      cleanup as unknown as Jobs,
    ).onModuleInit();
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await service?.stop();
    await server?.drop();
  });

  const createNote = (bytes: Buffer, more: object = {}) =>
    api.post(`/v2/api/workspaces/${me.workspaceId}/notes`, { files: [base64('a.png', bytes)], ...more });
  /** Stores a blob without an attachment: the note is rejected after the upload. */
  const uploadOnly = async (bytes: Buffer) =>
    expect((await createNote(bytes, { status: 'no-such-status' })).status).toBe(422);
  const setAge = (seconds: number, ...files: Buffer[]) =>
    server.query(
      `UPDATE blobs SET touched_at = clock_timestamp() - make_interval(secs => $1) WHERE sha256 = ANY ($2::text[])`,
      [seconds, files.map(sha256)],
    );
  const blobPath = (bytes: Buffer) => join(service.env['DATA_DIR']!, 'files', blobKey(me.workspaceId, sha256(bytes)));
  /** Whether the row exists, and whether the bytes exist. */
  const existing = async (bytes: Buffer) => {
    const rows = await server.query('SELECT FROM blobs WHERE sha256 = $1', [sha256(bytes)]);
    return [rows.length === 1, existsSync(blobPath(bytes))];
  };

  it('removes unreferenced blobs after the time limit, and no others', async () => {
    const [referenced, young, old] = [newPicture(), newPicture(), newPicture()];
    expect((await createNote(referenced)).status).toBe(201);
    await uploadOnly(young);
    await uploadOnly(old);
    await setAge(UNCLAIMED_AFTER_S - 60, young);
    await setAge(UNCLAIMED_AFTER_S + 1, referenced, old);
    expect(await clean()).toBe(1);
    expect(await existing(referenced)).toEqual([true, true]);
    expect(await existing(young)).toEqual([true, true]);
    expect(await existing(old)).toEqual([false, false]);
  });

  it('does not remove a blob that a request uploaded again', async () => {
    const bytes = newPicture();
    await uploadOnly(bytes);
    await setAge(UNCLAIMED_AFTER_S + 1, bytes);
    expect((await createNote(bytes)).status).toBe(201);
    await clean();
    expect(await existing(bytes)).toEqual([true, true]);
  });

  it('rejects with 503 a request that took longer than the time limit, and stores nothing', async () => {
    const bytes = newPicture();
    expect((await createNote(newPicture())).status).toBe(201);
    // A note takes its number between the upload of its files and their attachment.
    const release = await server.lock('SELECT FROM note_counters FOR UPDATE');
    const creating = createNote(bytes);
    while ((await existing(bytes)).includes(false)) await delay(20);
    await setAge(UNCLAIMED_AFTER_S + 1, bytes);
    expect(await clean()).toBe(1);
    await release();
    const { status, headers, body } = await creating;
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'upload_expired', '1']);
    expect(await existing(bytes)).toEqual([false, false]);
    expect((await createNote(bytes)).status).toBe(201);
  });

  it('never removes a blob that a concurrent request attaches', async () => {
    let removed = 0;
    const files: { id: string; sent: string }[] = [];
    for (let round = 0; round < 12; round++) {
      const pictures = manyRows(8, () => newPicture());
      await Promise.all(pictures.map(uploadOnly));
      await setAge(UNCLAIMED_AFTER_S + 1, ...pictures);
      const cleaning = [0, 1].map(async () => {
        await delay(Math.random() * 30);
        removed += await clean();
      });
      const creating = pictures.map(async (bytes) => {
        await delay(Math.random() * 20);
        const { status, body } = await createNote(bytes);
        expect(status).toBe(201);
        files.push({ id: body.data.files[0].id, sent: sha256(bytes) });
      });
      await Promise.all([...cleaning, ...creating]);
    }
    expect(removed).toBeGreaterThan(0);
    for (const { id, sent } of files) {
      const response = await fetch(`${service.baseUrl}/v1/api/attachments/${id}`, { headers: api.headers });
      expect([response.status, sha256(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, sent]);
    }
  });
});
