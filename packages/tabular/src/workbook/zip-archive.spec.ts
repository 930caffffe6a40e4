import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { ZipArchive } from './zip-archive.js';

const MIB = 1_048_576;
const WORKBOOK = join(__dirname, '../../../../test/fixtures/field-cases/tables/15-errors-formulas.xlsx');

/** An archive of one part. @param declared its length in the table of contents */
function toArchive(content: Buffer, declared: number): Uint8Array<ArrayBuffer> {
  const compressed = deflateRawSync(content);
  const name = Buffer.from('a.xml');
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(crc32(content), 16);
  entry.writeUInt32LE(compressed.length, 20);
  entry.writeUInt32LE(declared, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + compressed.length, 16);
  return new Uint8Array(Buffer.concat([local, name, compressed, entry, name, end]));
}

describe('the archive of a workbook', () => {
  it('contains parts by their name in any letter case', async () => {
    const archive = new ZipArchive(new Uint8Array(readFileSync(WORKBOOK)), MIB);
    expect(await archive.read('XL/Workbook.xml')).toMatch(/<sheet sheetId="1" name="S"/);
    await expect(archive.read('xl/other.xml')).rejects.toThrow('its part xl/other.xml is missing');
  });

  it('is rejected before it is decompressed if its parts are larger than the limit', () => {
    expect(() => new ZipArchive(toArchive(Buffer.alloc(3 * MIB), 3 * MIB), 2 * MIB)).toThrow(
      'its parts have 3 MiB, and at most 2 are read',
    );
  });

  it.each([
    ['more', 1_000],
    ['fewer', 2 * MIB],
    ['no', 0],
  ])('is damaged if a part has %s bytes than its table of contents declares', async (_, declared) => {
    const read = async () => new ZipArchive(toArchive(Buffer.alloc(MIB), declared), 4 * MIB).read('a.xml');
    await expect(read()).rejects.toThrow(/^its (part a.xml|table of contents) is damaged/);
  });
});
