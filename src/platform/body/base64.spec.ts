import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { base64In, decoded, sizeOf } from './base64.js';

const FIELD = 'files[3].data';

function decode(text: string): Buffer {
  return Buffer.concat([...decoded(base64In(text, FIELD), FIELD)]);
}

describe('base64', () => {
  it('is decoded, whatever its length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decode(text)).toEqual(Buffer.from(bytes));
        expect(sizeOf(base64In(text, FIELD))).toBe(bytes.length);
      }),
    );
  });

  it.each([196_607, 196_608, 196_609, 1_000_000])('is decoded across chunks: %d bytes', (length) => {
    const bytes = randomBytes(length);
    expect(decode(bytes.toString('base64')).equals(bytes)).toBe(true);
    expect(sizeOf(base64In(bytes.toString('base64'), FIELD))).toBe(length);
  });

  const long = randomBytes(3 * 65_536).toString('base64');

  it.each([
    ['other characters', '!!!!'],
    ['the url-safe alphabet', '-_-_'],
    ['a line break', 'QUJD\r\nREVG'],
    ['a line break at its end', 'QUJD\n'],
    ['a space', 'QUJD REVG'],
    ['data after padding', 'QQ==QUJD'],
    ['data after one =', 'QUI=QUJD'],
    ['no padding', 'QQ'],
    ['half its padding', 'QQ='],
    ['too much padding', 'QUJD===='],
    ['a single character', 'Q'],
    ['padding alone', '===='],
    ['bits beyond its end', 'QR=='],
    ['letters beyond ASCII', 'QUJÄ'],
    ['a character that is wrong far behind', `${long}!!!!`],
    ['data after padding where a chunk ends', `${long.slice(0, -4)}QQ==${long}`],
  ])('with %s is refused', (_, text) => {
    expect(() => decode(text)).toThrow(FIELD);
  });

  it('of 20 MB with a fault at its end is refused, and not suffered', () => {
    expect(() => decode(`${'A'.repeat(20 * 1024 * 1024)}*AAA`)).toThrow(FIELD);
  });
});

describe('a data URI', () => {
  it.each([
    'data:image/png;base64,QUJD',
    'DATA:image/svg+xml;BASE64,QUJD',
    'data:audio/webm;codecs=opus;base64,QUJD',
    'data:text/plain;charset="utf-8";base64,QUJD',
  ])('%s is taken', (text) => {
    expect(decode(text)).toEqual(Buffer.from('ABC'));
    expect(sizeOf(base64In(text, FIELD))).toBe(3);
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
  ])('%s is refused', (text) => {
    expect(() => decode(text)).toThrow('data:<type>;base64,<data>');
  });
});
