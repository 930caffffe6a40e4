import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { ObjectStorage } from '../../../test/support/object-storage.js';
import { UnavailableError } from '../http/domain-error.js';
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
  mkdirSync(join(folder, 'spool'));
  objects = await ObjectStorage.start();
  s3 = new S3Storage({ ...s3Settings, endpoint: objects.endpoint });
});

afterAll(async () => {
  s3.onApplicationShutdown();
  await objects.stop();
  rmSync(folder, { recursive: true, force: true });
});

function spooled(bytes: Buffer): LocalFile {
  const path = join(folder, 'spool', randomBytes(8).toString('hex'));
  writeFileSync(path, bytes);
  return { path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function keysOf(storage: FileStorage, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys.sort();
}

const read = async (opening: Promise<Readable>) => buffer(await opening);

describe.each<[string, () => FileStorage]>([
  ['a disk', () => new DiskStorage({ dataDir: folder })],
  ['an object storage', () => s3],
])('%s', (_, open) => {
  let storage: FileStorage;

  beforeAll(() => (storage = open()));

  it('gives back what was put', async () => {
    const bytes = randomBytes(300_000);
    await storage.put('w1/ab/file', spooled(bytes));
    expect(await read(storage.open('w1/ab/file'))).toEqual(bytes);
    expect(await storage.findSize('w1/ab/file')).toBe(bytes.length);
  });

  it('takes the same key again, also at once', async () => {
    const bytes = Buffer.from('the same');
    await Promise.all(Array.from({ length: 20 }, () => storage.put('w1/same', spooled(bytes))));
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
  ])('gives the bytes from %d to %d', async (start, end) => {
    await storage.write('w1/range', Buffer.from('0123456789'));
    expect(await read(storage.open('w1/range', { start, end }))).toEqual(
      Buffer.from('0123456789'.slice(start, end + 1)),
    );
  });

  it('says what is not there', async () => {
    expect(await storage.findSize('w1/none')).toBeUndefined();
    await expect(storage.open('w1/none')).rejects.toThrow(MissingFileError);
    await expect(storage.remove('w1/none')).resolves.toBeUndefined();
  });

  it('removes', async () => {
    await storage.write('w1/gone', Buffer.from('x'));
    await storage.remove('w1/gone');
    expect(await storage.findSize('w1/gone')).toBeUndefined();
  });

  it('lists by prefix, with size and time', async () => {
    for (const key of ['l/a/1', 'l/a/2', 'l/ab', 'l/b/1']) await storage.write(key, Buffer.from(key));
    expect(await keysOf(storage, 'l/')).toEqual(['l/a/1', 'l/a/2', 'l/ab', 'l/b/1']);
    expect(await keysOf(storage, 'l/a')).toEqual(['l/a/1', 'l/a/2', 'l/ab']);
    expect(await keysOf(storage, 'l/a/')).toEqual(['l/a/1', 'l/a/2']);
    expect(await keysOf(storage, 'nothing/here')).toEqual([]);
    expect(await keysOf(storage)).toEqual(expect.arrayContaining(['l/b/1', 'w1/same']));
    for await (const { size, modifiedAt } of storage.list('l/ab')) {
      expect(size).toBe(4);
      expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
    }
  });

  it.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', '', 'A', 'a b', '.hidden', 'a/.hidden', 'a\0', 'a/'])(
    'refuses the key %j',
    async (key) => {
      await expect(storage.write(key, Buffer.from('x'))).rejects.toThrow('is not a key');
      await expect(storage.open(key)).rejects.toThrow('is not a key');
    },
  );
});

describe('a disk', () => {
  const storage = new DiskStorage({ dataDir: folder });

  it('takes a file over: nothing is left in the spool', async () => {
    const file = spooled(Buffer.from('taken over'));
    await storage.put('w2/file', file);
    expect(existsSync(file.path)).toBe(false);
  });

  it('gives the first byte alone, which s3rver does not', async () => {
    await storage.write('w2/range', Buffer.from('0123456789'));
    expect(await read(storage.open('w2/range', { start: 0, end: 0 }))).toEqual(Buffer.from('0'));
  });

  it('does not list what a crash left half-written', async () => {
    await storage.write('w3/whole', Buffer.from('x'));
    writeFileSync(join(folder, 'files/w3/.half'), 'x');
    expect(await keysOf(storage, 'w3/')).toEqual(['w3/whole']);
  });

  it('leaves no draft behind where a file cannot be written', async () => {
    const before = readdirSync(join(folder, 'spool'));
    await storage.write('w4', Buffer.from('x'));
    // A folder would have to be where a file is.
    await expect(storage.write('w4/below', Buffer.from('x'))).rejects.toThrow();
    expect(readdirSync(join(folder, 'spool'))).toEqual(before);
  });
});

describe('an object storage', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('that cannot be reached is 503, and neither waits for ever nor loses the file', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const storage = new S3Storage({ ...s3Settings, endpoint: `http://127.0.0.1:${port}` });
    const file = spooled(Buffer.from('kept'));
    await expect(storage.put('a', file)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(storage.write('a', Buffer.from('x'))).rejects.toThrow(UnavailableError);
    await expect(storage.open('a')).rejects.toThrow(UnavailableError);
    await expect(storage.findSize('a')).rejects.toThrow(UnavailableError);
    await expect(storage.remove('a')).rejects.toThrow(UnavailableError);
    await expect(keysOf(storage)).rejects.toThrow(UnavailableError);
    expect(existsSync(file.path)).toBe(true);
    storage.onApplicationShutdown();
  });

  it('whose bucket is not there is 503, and not a missing file', async () => {
    const storage = new S3Storage({ ...s3Settings, bucket: 'other', endpoint: objects.endpoint });
    await expect(storage.open('a')).rejects.toThrow(UnavailableError);
    await expect(storage.write('a', Buffer.from('x'))).rejects.toThrow(UnavailableError);
    storage.onApplicationShutdown();
  });
});
