import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { gunzip, GzipError } from './gunzip.js';

const A = gzipSync('first ');
const B = gzipSync('second');
const BIG = randomBytes(300_000);
const zeros = (count: number) => Buffer.alloc(count);

/** Decompresses chunks of a size. */
async function read(compressed: Buffer, size: number): Promise<Buffer> {
  const chunks = function* () {
    for (let at = 0; at < compressed.length; at += size) yield compressed.subarray(at, at + size);
  };
  const parts: Buffer[] = [];
  for await (const part of gunzip(Readable.from(chunks()))) parts.push(part);
  return Buffer.concat(parts);
}

describe.each([1, A.length, A.length + 4, 65_536])('gzip in chunks of %i bytes', (size) => {
  it.each<[string, Buffer[], string]>([
    ['one member', [A], 'first '],
    ['two members', [A, B], 'first second'],
    ['zeros at the end', [A, B, zeros(1_000)], 'first second'],
    ['zeros in the content', [gzipSync(zeros(10), { level: 0 }), B], `${'\0'.repeat(10)}second`],
  ])('reads %s', async (_, parts, text) => expect((await read(Buffer.concat(parts), size)).toString()).toBe(text));

  it.each<[string, Buffer[]]>([
    ['a member after zeros', [A, zeros(8), B]],
    ['a member after as many zeros as a chunk', [A, zeros(Math.min(size, 70_000)), B]],
    ['a member after many zeros', [A, zeros(5_000), B, zeros(10)]],
    ['other bytes after zeros', [A, zeros(8), Buffer.from('\n')]],
    ['other bytes', [A, Buffer.from('\n')]],
    ['a cut member', [A, B.subarray(0, -1)]],
    ['no gzip', [Buffer.from('text')]],
  ])('rejects %s', (_, parts) => expect(read(Buffer.concat(parts), size)).rejects.toThrow(GzipError));
});

it('reads a large member, and ends if the reader stops early', async () => {
  const compressed = gzipSync(BIG);
  expect((await read(compressed, 65_536)).equals(BIG)).toBe(true);
  const source = Readable.from([compressed.subarray(0, 100_000), compressed.subarray(100_000)]);
  for await (const part of gunzip(source)) if (part.length > 0) break;
  expect(source.destroyed).toBe(true);
});

it('throws the error of the source', async () => {
  const source = new Readable({ read: () => source.destroy(new Error('disk')) });
  await expect(gunzip(source).next()).rejects.toThrow('disk');
});
