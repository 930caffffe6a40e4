import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { ObjectStorage } from '../../../test/support/object-storage.js';
import { UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { DiskStorage } from './disk-storage.js';
import type { FileStorage, LocalFile } from './file-storage.js';
import { S3Storage } from './s3-storage.js';
import { MissingFileError } from './storage.errors.js';

const folder = mkdtempSync(join(tmpdir(), 'atrium-storage-'));
let objects: ObjectStorage;
const s3Settings = {
  bucket: 'atrium',
  region: 'us-east-1',
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
  forcePathStyle: true,
};
let s3: S3Storage;

beforeAll(async () => {
  mkdirSync(join(folder, 'temporary'));
  objects = await ObjectStorage.start();
  s3 = new S3Storage({ ...s3Settings, endpoint: objects.endpoint });
});

afterAll(async () => {
  s3.onApplicationShutdown();
  await objects.stop();
  rmSync(folder, { recursive: true, force: true });
});

function createTemporaryFile(bytes: Buffer): LocalFile {
  const path = join(folder, 'temporary', randomBytes(8).toString('hex'));
  writeFileSync(path, bytes);
  return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function listKeys(storage: FileStorage, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys.sort();
}

const read = async (opening: Promise<Readable>) => buffer(await opening);

describe.each<[string, () => FileStorage]>([
  ['DiskStorage', () => new DiskStorage({ dataDir: folder })],
  ['S3Storage', () => s3],
])('%s', (_, open) => {
  let storage: FileStorage;

  beforeAll(() => (storage = open()));

  it('returns the bytes that were stored', async () => {
    const bytes = randomBytes(300_000);
    await storage.put('w1/ab/file', createTemporaryFile(bytes));
    expect(await read(storage.open('w1/ab/file'))).toEqual(bytes);
    expect(await storage.findSize('w1/ab/file')).toBe(bytes.length);
  });

  it('stores the same key again, also concurrently', async () => {
    const bytes = Buffer.from('the same');
    await Promise.all(Array.from({ length: 20 }, () => storage.put('w1/same', createTemporaryFile(bytes))));
    expect(await read(storage.open('w1/same'))).toEqual(bytes);
  });

  it('writes small content', async () => {
    await storage.write('w1/thumb.webp', Buffer.from('small'));
    expect(await read(storage.open('w1/thumb.webp'))).toEqual(Buffer.from('small'));
  });

  it.each([
    [0, 1],
    [2, 5],
    [9, 9],
  ])('returns the bytes from %d to %d', async (start, end) => {
    await storage.write('w1/range', Buffer.from('0123456789'));
    expect(await read(storage.open('w1/range', { start, end }))).toEqual(
      Buffer.from('0123456789'.slice(start, end + 1)),
    );
  });

  it('reports missing files, and ignores the removal of one', async () => {
    expect(await storage.findSize('w1/none')).toBeUndefined();
    await expect(storage.open('w1/none')).rejects.toThrow(MissingFileError);
    await expect(storage.remove('w1/none')).resolves.toBeUndefined();
  });

  it('removes a file', async () => {
    await storage.write('w1/removed', Buffer.from('x'));
    await storage.remove('w1/removed');
    expect(await storage.findSize('w1/removed')).toBeUndefined();
  });

  it('lists by prefix, with size and time', async () => {
    for (const key of ['l/a/1', 'l/a/2', 'l/ab', 'l/b/1']) await storage.write(key, Buffer.from(key));
    expect(await listKeys(storage, 'l/')).toEqual(['l/a/1', 'l/a/2', 'l/ab', 'l/b/1']);
    expect(await listKeys(storage, 'l/a')).toEqual(['l/a/1', 'l/a/2', 'l/ab']);
    expect(await listKeys(storage, 'l/a/')).toEqual(['l/a/1', 'l/a/2']);
    expect(await listKeys(storage, 'nothing/here')).toEqual([]);
    expect(await listKeys(storage)).toEqual(expect.arrayContaining(['l/b/1', 'w1/same']));
    for await (const { size, modifiedAt } of storage.list('l/ab')) {
      expect(size).toBe(4);
      expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
    }
  });

  it.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', '', 'A', 'a b', '.hidden', 'a/.hidden', 'a\0', 'a/'])(
    'rejects the key %j',
    async (key) => {
      await expect(storage.write(key, Buffer.from('x'))).rejects.toThrow('is not a valid storage key');
      await expect(storage.open(key)).rejects.toThrow('is not a valid storage key');
    },
  );
});

describe('DiskStorage', () => {
  const storage = new DiskStorage({ dataDir: folder });

  it('moves the temporary file', async () => {
    const file = createTemporaryFile(Buffer.from('moved'));
    await storage.put('w2/file', file);
    expect(existsSync(file.path)).toBe(false);
  });

  it('returns only the first byte, which s3rver does not support', async () => {
    await storage.write('w2/range', Buffer.from('0123456789'));
    expect(await read(storage.open('w2/range', { start: 0, end: 0 }))).toEqual(Buffer.from('0'));
  });

  it('does not list files that a crash left incomplete', async () => {
    await storage.write('w3/whole', Buffer.from('x'));
    writeFileSync(join(folder, 'files/w3/.half'), 'x');
    expect(await listKeys(storage, 'w3/')).toEqual(['w3/whole']);
  });

  it('leaves no temporary file if a file cannot be written', async () => {
    const before = readdirSync(join(folder, 'temporary'));
    await storage.write('w4', Buffer.from('x'));
    // The parent directory of the key is an existing file.
    await expect(storage.write('w4/below', Buffer.from('x'))).rejects.toThrow();
    expect(readdirSync(join(folder, 'temporary'))).toEqual(before);
  });
});

describe('S3Storage', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('fails with 503 if the storage is unreachable, and does not lose the file', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const storage = new S3Storage({ ...s3Settings, endpoint: `http://127.0.0.1:${port}` });
    const file = createTemporaryFile(Buffer.from('stored'));
    await expect(storage.put('a', file)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(storage.write('a', Buffer.from('x'))).rejects.toThrow(UnavailableError);
    await expect(storage.open('a')).rejects.toThrow(UnavailableError);
    await expect(storage.findSize('a')).rejects.toThrow(UnavailableError);
    await expect(storage.remove('a')).rejects.toThrow(UnavailableError);
    await expect(listKeys(storage)).rejects.toThrow(UnavailableError);
    expect(existsSync(file.path)).toBe(true);
    storage.onApplicationShutdown();
  });

  it('fails with 503 and not with a missing file if the bucket does not exist', async () => {
    const storage = new S3Storage({ ...s3Settings, bucket: 'other', endpoint: objects.endpoint });
    await expect(storage.open('a')).rejects.toThrow(UnavailableError);
    await expect(storage.write('a', Buffer.from('x'))).rejects.toThrow(UnavailableError);
    storage.onApplicationShutdown();
  });
});
