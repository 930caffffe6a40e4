import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withExtension } from './file-extensions.js';
import { detectFileType } from './file-types.js';

const SAMPLES = join(__dirname, '../../../test/fixtures/files');
const folder = mkdtempSync(join(tmpdir(), 'atrium-types-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sample = (name: string) => readFileSync(join(SAMPLES, name));

/** Detects the type of content by writing it to a file. */
function detect(content: string | Buffer) {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return detectFileType(path, statSync(path).size);
}

describe('detectFileType', () => {
  it.each([
    ['picture.png', 'image/png'],
    ['picture.jpg', 'image/jpeg'],
    ['picture.gif', 'image/gif'],
    ['picture.bmp', 'image/bmp'],
    ['picture.tiff', 'image/tiff'],
    ['picture.heic', 'image/heic'],
    ['picture.avif', 'image/avif'],
    ['picture.webp', 'image/webp'],
    ['sound.mp3', 'audio/mpeg'],
    ['sound.wav', 'audio/wav'],
    ['sound.opus', 'audio/ogg'],
    ['sound.m4a', 'audio/mp4'],
    ['sound.aac', 'audio/aac'],
    ['sound.flac', 'audio/flac'],
    ['video.mp4', 'video/mp4'],
    ['video.mov', 'video/quicktime'],
    ['video.webm', 'video/webm'],
    ['video.mkv', 'video/matroska'],
    ['video.avi', 'video/vnd.avi'],
    ['report.pdf', 'application/pdf'],
  ])('detects that %s is %s', async (name, contentType) => {
    const kind = contentType === 'application/pdf' ? 'pdf' : contentType.split('/')[0];
    expect(await detect(sample(name))).toEqual({ kind, contentType });
  });

  it('detects a picture even if a script follows its end, because it is served as a picture', async () => {
    const script = Buffer.from('<script>alert(1)</script>');
    expect(await detect(Buffer.concat([sample('picture.png'), script]))).toMatchObject({ contentType: 'image/png' });
  });
});

/** An MP4 or MOV box. */
const box = (type: string, content: Uint8Array = Buffer.alloc(0)) => {
  const head = Buffer.from(`\0\0\0\0${type}`, 'latin1');
  head.writeUInt32BE(8 + content.length);
  return Buffer.concat([head, content]);
};

/** The brands of a file and its boxes after them. */
const withBrands = (name: string, ...brands: string[]) => {
  const bytes = sample(name);
  const brandBox = box('ftyp', Buffer.from(`${brands[0]}\0\0\0\0${brands.slice(1).join('')}`, 'latin1'));
  return Buffer.concat([brandBox, bytes.subarray(bytes.readUInt32BE(0))]);
};

/** Two frames of an MP3 of 128 kbit/s and 44.1 kHz. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);
const MP3_FRAMES = Buffer.concat([MP3_FRAME, MP3_FRAME]);
const ID3 = Buffer.from('ID3\x03\0\0\0\0\0\x0a0123456789', 'latin1');

const au = Buffer.alloc(100);
au.write('.snd');
for (const [index, value] of [24, 76, 3, 8_000, 1].entries()) au.writeUInt32BE(value, 4 + 4 * index);

describe('detectFileType detects', () => {
  it.each<[string, Buffer, string]>([
    ['a PDF after other bytes', Buffer.concat([Buffer.from('junk\n'), sample('report.pdf')]), 'application/pdf'],
    ['a PDF after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), sample('report.pdf')]), 'application/pdf'],
    ['an MP3 with padding before its tags', Buffer.concat([Buffer.alloc(300), ID3, MP3_FRAMES]), 'audio/mpeg'],
    ['an MP3 with padding after its tags', Buffer.concat([ID3, Buffer.alloc(3_000), MP3_FRAMES]), 'audio/mpeg'],
    [
      'a MOV that starts with skip',
      Buffer.concat([box('skip', Buffer.alloc(9)), sample('video.mov')]),
      'video/quicktime',
    ],
    ['a MOV that starts with pnot', Buffer.concat([box('pnot', Buffer.alloc(12)), box('moov')]), 'video/quicktime'],
    ['a MOV that starts with uuid', Buffer.concat([box('uuid', Buffer.alloc(99)), box('mdat')]), 'video/quicktime'],
    ['an MP4 that starts with uuid', Buffer.concat([box('uuid', Buffer.alloc(99)), sample('video.mp4')]), 'video/mp4'],
    ['an HEIC by a compatible brand', withBrands('picture.heic', 'mif2', 'mif1', 'heic'), 'image/heic'],
    ['an AVIF by a compatible brand', withBrands('picture.avif', 'mif1', 'avif', 'miaf'), 'image/avif'],
    ['an MP4 with a brand of images', withBrands('video.mp4', 'isom', 'mif1', 'avif'), 'video/mp4'],
    ['FLV', Buffer.concat([Buffer.from('FLV\x01\x05\0\0\0\x09', 'latin1'), Buffer.alloc(100)]), 'video/x-flv'],
    ['AC-3', Buffer.concat([Buffer.from([0x0b, 0x77, 0, 0, 0x1c, 0x40]), Buffer.alloc(100)]), 'audio/ac3'],
    ['E-AC-3', Buffer.concat([Buffer.from([0x0b, 0x77, 0, 0x3f, 0x3f, 0x80]), Buffer.alloc(100)]), 'audio/eac3'],
    ['AU', au, 'audio/basic'],
    ['JPEG 2000', Buffer.from('\0\0\0\x0cjP  \x0d\x0a\x87\x0a\0\0\0\x14ftypjp2 \0\0\0\0jp2 ', 'latin1'), 'image/jp2'],
  ])('%s', async (_, content, contentType) => {
    const kind = contentType === 'application/pdf' ? 'pdf' : contentType.split('/')[0];
    const type = await detect(content);
    expect(type).toEqual({ kind, contentType });
    // Each type has an extension.
    expect(withExtension('a.exe', contentType)).toMatch(/^a\.exe\.[a-z0-9]+$/);
  });

  it('a file whose tracks claim more memory than allowed as a video', async () => {
    const atom = box('moov', box('udta', box('meta', Buffer.alloc(8))));
    const hostile = Buffer.from(atom);
    hostile.writeUInt32BE(0x7fffffff, 8);
    expect(await detect(Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), hostile]))).toMatchObject({
      kind: 'video',
    });
  });
});

const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8]);

/** A TIFF whose one entry is the tag of a DNG's version. */
const DNG = Buffer.concat([
  Buffer.from('II*\0\x08\0\0\0', 'latin1'),
  u16(1),
  u16(50706),
  u16(1),
  Buffer.from([4, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0]),
  Buffer.alloc(64),
]);

describe('detectFileType rejects', () => {
  it.each<[string, string | Buffer]>([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['an SVG with a prolog', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['HTML after white space', '\n\t <html></html>'],
    ['HTML after a byte order mark', '\ufeff<html></html>'],
    ['HTML in UTF-16', Buffer.from('\ufeff<html></html>', 'utf16le')],
    ['HTML that looks like a MOV', '<!--free --><script>alert(1)</script>'],
    ['HTML that looks like an MP4', '<!--ftypmp42 --><script>alert(1)</script>'],
    ['HTML after tags of an MP3', 'ID3<script>alert(1)</script>'],
    ['an EXE', Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), Buffer.alloc(200)])],
    ['an ELF', Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(200)])],
    ['a ZIP', Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])],
    ['WASM', Buffer.from('\0asm\x01\0\0\0', 'latin1')],
    ['a PSD', Buffer.concat([Buffer.from('8BPS\0\x01', 'latin1'), Buffer.alloc(50)])],
    ['an EPS', '%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n'],
    ['PostScript', '%!PS-Adobe-3.0\nshowpage\n'],
    ['a raw picture of Canon', Buffer.from('II*\0\x10\0\0\0CR\x02\0\0\0\0\0', 'latin1')],
    ['a raw picture of Fujifilm', 'FUJIFILMCCD-RAW 0201FF389501'],
    ['a raw picture of Adobe', DNG],
    ['JSON', '{"a": 1}'],
    ['text', 'plain text'],
    ['text that starts like a BMP', 'BMW, the third one from the left, is leaking oil all over'],
    ['text that starts like a GIF', 'GIFT list for the whole department, to be decided later'],
    ['a single byte', 'x'],
    ['null bytes', Buffer.alloc(1_000)],
    ['a PDF after more than 1,024 bytes', Buffer.concat([Buffer.alloc(1_100, 'junk\n'), sample('report.pdf')])],
    ['a PDF in HTML', Buffer.concat([Buffer.from('<html><script>alert(1)</script>'), sample('report.pdf')])],
    ['text about the header of a PDF', 'A PDF begins with %PDF-1.7, and a reader ignores what is before the header'],
    ['text that starts like AC-3', Buffer.concat([Buffer.from([0x0b, 0x77]), Buffer.from('text of no audio format')])],
    ['text that has the synchronization byte of a transport stream twice', `G${'-'.repeat(187)}G${'-'.repeat(900)}`],
    ['text after a box name', '\0\0\0\x20skip of the pump house, to be decided later'],
    ['a box that leads outside the file', Buffer.from('\x7f\0\0\0uuid0123456789abcdef', 'latin1')],
    ['zero bytes before text', Buffer.concat([Buffer.alloc(500), Buffer.from('ID3 tags are a format')])],
    ['the name of AU before text', '.snd is the extension of a sound'],
    ['a PDF after tags of an MP3', Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), sample('report.pdf')])],
    ['only %PDF', '%PDF'],
  ])('%s', async (_, content) => {
    expect(typeof (await detect(content))).toBe('string');
  });

  it('content with a description of what it appears to be', async () => {
    expect(await detect('<svg/>')).toBe('markup such as HTML or SVG');
    expect(await detect(Buffer.from('\0asm\x01\0\0\0', 'latin1'))).toBe('application/wasm');
    expect(await detect('plain text')).toBe('of an unknown type');
  });
});
