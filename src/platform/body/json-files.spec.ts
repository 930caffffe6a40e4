import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { decodeBase64 } from './json-files.js';

const FIELD = 'files[3].data';

function decode(text: string): Buffer {
  return Buffer.concat([...decodeBase64(text, FIELD)]);
}

describe('decodeBase64', () => {
  it('decodes texts of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(decode(text)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it.each([196_607, 196_608, 196_609, 1_000_000])('decodes %d bytes across chunks', (length) => {
    const bytes = randomBytes(length);
    expect(decode(bytes.toString('base64')).equals(bytes)).toBe(true);
  });

  it.each([
    ['the URL alphabet', '-_-_', '+/+/'],
    ['lines of mail', 'QUJD\r\nREVG', 'QUJDREVG'],
    ['a line break at the end', 'QUJD\n', 'QUJD'],
    ['a line break after padding', 'QQ==\n', 'QQ=='],
    ['blanks next to line breaks', 'QUJD \n\t REVG\r\n ', 'QUJDREVG'],
    ['no padding', 'QUI', 'QUI='],
    ['a data URI in lines', 'data:;base64,QU\nJD', 'QUJD'],
  ])('accepts %s', (_, text, plain) => {
    const bytes = Buffer.from(plain, 'base64');
    expect(decode(text)).toEqual(bytes);
  });

  it('decodes lines of 76 characters, of any length, without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 190_000, maxLength: 200_000 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url').replace(/.{76}/g, '$&\r\n');
        expect(decode(text).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  const long = randomBytes(3 * 65_536).toString('base64');

  it.each([
    ['other characters', '!!!!'],
    ['data after padding', 'QQ==QUJD'],
    ['data after one =', 'QUI=QUJD'],
    ['half of the padding', 'QQ='],
    ['a vertical tab', 'QUJD\vREVG'],
    ['a no-break space', 'QUJD\u00a0REVG'],
    ['too much padding', 'QUJD===='],
    ['a single character', 'Q'],
    ['a space, which may be a lost +', 'QU JDRE'],
    ['a space at the end', 'QUJ '],
    ['a space at the start', ' QUJ'],
    ['a tab', 'QU\tJD'],
    ['blanks at a line break without padding', 'QUJ \nREVG'],
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

describe('the prefix of a data URI', () => {
  it.each([
    'data:image/png;base64,QUJD',
    'DATA:image/svg+xml;BASE64,QUJD',
    'data:audio/webm;codecs=opus;base64,QUJD',
    'data:text/plain;charset="utf-8";base64,QUJD',
    'data:video/webm;codecs=vp8,opus;base64,QUJD',
    'data:video/webm; codecs="vp8, opus"; base64,QUJD',
    'data:;base64,QUJD',
    'data:;charset=utf-8;base64,QUJD',
  ])('accepts the data URI %s', (text) => {
    expect(decode(text)).toEqual(Buffer.from('ABC'));
  });

  it.each([
    'data:,QUJD',
    'data:image/png,QUJD',
    'data:text/plain,hello;base64,QUJD',
    'data:image/png;base64',
    'data:image/png;base64 ,QUJD',
    'data:png;base64,QUJD',
    'data:image/png;base64;charset=x,QUJD',
    `data:image/${'x'.repeat(500)};base64,QUJD`,
  ])('rejects the data URI %s', (text) => {
    expect(() => decode(text)).toThrow('data:<type>;base64,<data>');
  });
});
