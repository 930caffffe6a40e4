import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { decodeBase64, decodedSize, parseBase64 } from './json-files.js';

const FIELD = 'files[3].data';

function decode(text: string): Buffer {
  return Buffer.concat([...decodeBase64(parseBase64(text, FIELD), FIELD)]);
}

describe('decodeBase64', () => {
  it('decodes texts of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decode(text)).toEqual(Buffer.from(bytes));
        expect(decodedSize(parseBase64(text, FIELD))).toBe(bytes.length);
      }),
    );
  });

  it.each([196_607, 196_608, 196_609, 1_000_000])('decodes %d bytes across chunks', (length) => {
    const bytes = randomBytes(length);
    expect(decode(bytes.toString('base64')).equals(bytes)).toBe(true);
    expect(decodedSize(parseBase64(bytes.toString('base64'), FIELD))).toBe(length);
  });

  const long = randomBytes(3 * 65_536).toString('base64');

  it.each([
    ['other characters', '!!!!'],
    ['the url-safe alphabet', '-_-_'],
    ['a line break', 'QUJD\r\nREVG'],
    ['a line break at the end', 'QUJD\n'],
    ['a space', 'QUJD REVG'],
    ['data after padding', 'QQ==QUJD'],
    ['data after one =', 'QUI=QUJD'],
    ['no padding', 'QQ'],
    ['half of the padding', 'QQ='],
    ['too much padding', 'QUJD===='],
    ['a single character', 'Q'],
    ['only padding', '===='],
    ['bits after the end', 'QR=='],
    ['letters outside of ASCII', 'QUJÄ'],
    ['an invalid character at the end of a long text', `${long}!!!!`],
    ['data after padding at the end of a chunk', `${long.slice(0, -4)}QQ==${long}`],
  ])('rejects %s', (_, text) => {
    expect(() => decode(text)).toThrow(FIELD);
  });

  it('rejects 20 MB with an invalid end in linear time', () => {
    expect(() => decode(`${'A'.repeat(20 * 1024 * 1024)}*AAA`)).toThrow(FIELD);
  });
});

describe('parseBase64', () => {
  it.each([
    'data:image/png;base64,QUJD',
    'DATA:image/svg+xml;BASE64,QUJD',
    'data:audio/webm;codecs=opus;base64,QUJD',
    'data:text/plain;charset="utf-8";base64,QUJD',
  ])('accepts the data URI %s', (text) => {
    expect(decode(text)).toEqual(Buffer.from('ABC'));
    expect(decodedSize(parseBase64(text, FIELD))).toBe(3);
  });

  it.each([
    'data:,QUJD',
    'data:image/png,QUJD',
    'data:;base64,QUJD',
    'data:image/png;base64',
    'data:image/png;base64 ,QUJD',
    'data:png;base64,QUJD',
    'data:image/png;base64;charset=x,QUJD',
    `data:image/${'x'.repeat(500)};base64,QUJD`,
  ])('rejects the data URI %s', (text) => {
    expect(() => decode(text)).toThrow('data:<type>;base64,<data>');
  });
});
