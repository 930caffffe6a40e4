import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    ['a PDF after junk', Buffer.concat([Buffer.from('junk\n'), sample('report.pdf')])],
    ['a PDF after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), sample('report.pdf')])],
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
