import fc from 'fast-check';
import { getCoercion, type ColumnType, coerceKey } from './coercions.js';
import { InvalidValue } from './stored-value.js';

const coerce = (type: ColumnType, value: unknown, options = {}) => getCoercion(type, options)(value);
const expectInvalid = (type: ColumnType, value: unknown) => expect(coerce(type, value)).toBeInstanceOf(InvalidValue);

describe('text', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['  padded  ', '  padded  '],
    [42, '42'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, null],
    ['x'.repeat(100_000), 'x'.repeat(100_000)],
  ])('%#: accepts %j', (value, stored) => expect(coerce('text', value)).toBe(stored));

  it.each([['a\0b'], ['\ud800'], ['\udc00x'], ['x'.repeat(100_001)], [{}], [[]], [2 ** 60], [Infinity]])(
    '%#: rejects an invalid text',
    (value) => expectInvalid('text', value),
  );
});

describe('number', () => {
  it.each([
    [1.25, 1.25],
    ['12.50', 12.5],
    [' -7 ', -7],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['0.000', 0],
    ['000123', 123],
    ['123456789012345', 123456789012345],
    ['9007199254740991', 9007199254740991],
    ['52.55889892578125', 52.55889892578125],
    ['1.50000000000000000000', 1.5],
    ['', null],
    ['  ', null],
    [null, null],
  ])('accepts %j', (value, stored) => expect(coerce('number', value)).toBe(stored));

  it.each([
    ['heavy'],
    ['1,5'],
    ['12.50-'],
    ['0x10'],
    ['1e400'],
    ['1e-400'],
    [Infinity],
    ['12345678901234567890123'],
    [12345678901234567890123],
    ['9007199254740993'],
    ['0.1234567890123456789'],
    ['.'],
    ['-'],
    ['e5'],
    [true],
    [{}],
  ])('rejects %j', (value) => expectInvalid('number', value));

  it('reads a megabyte of zeros in linear time', () => {
    const zeros = '0'.repeat(1_000_000);
    expectInvalid('number', `0.1${zeros}1`);
    expect(coerce('number', `0.1${zeros}`)).toBe(0.1);
    expect(coerce('number', zeros)).toBe(0);
  });

  it('converts the text of every double to that double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 52), max: 2 ** 52 }), (number) => {
        expect(Object.is(coerce('number', String(number)), number) || number === 0).toBe(true);
      }),
    );
  });

  it('rejects every decimal that a double does not represent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,12}\.\d{1,12}[1-9]$/), (text) => {
        const stored = coerce('number', text);
        const canonical = text.replace(/^0+(?=\d)/, '');
        if (!(stored instanceof InvalidValue)) expect(Number(stored).toString()).toBe(canonical);
      }),
    );
  });
});

describe('date', () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    ['20240229', '2024-02-29'],
    ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00.000Z'],
    ['2024-05-01T10:00:00.5+02:00', '2024-05-01T08:00:00.500Z'],
    ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
    ['2024-05-01T10:00Z', '2024-05-01T10:00:00.000Z'],
    ['2024-05-01T10:00:00+0200', '2024-05-01T08:00:00.000Z'],
    ['2024-05-01T24:00:00Z', '2024-05-02T00:00:00.000Z'],
    ['2024-05-01T10:00:00,123456789Z', '2024-05-01T10:00:00.123Z'],
    ['', null],
    ['00000000', null],
    [null, null],
  ])('accepts %j', (value, stored) => expect(coerce('date', value)).toBe(stored));

  it.each([
    ['2023-02-29'],
    ['20241301'],
    ['2024-0501'],
    ['2024-05-01T10:00:00'],
    ['2024-05-01T24:00:01Z'],
    ['2024-05-01T10:00:00+24:00'],
    ['9999-12-31T23:59:59-01:00'],
    ['0000-01-01'],
    ['yesterday'],
    ['01.05.2024'],
    [20240501],
  ])('rejects %j', (value) => expectInvalid('date', value));
});

describe('checkbox', () => {
  it.each([
    [true, true],
    [1, true],
    ['1', true],
    ['X', true],
    ['x', true],
    ['Yes', true],
    ['TRUE', true],
    [false, false],
    [0, false],
    ['', false],
    ['no', false],
    ['false', false],
    [null, null],
  ])('converts %j to %j', (value, stored) => expect(coerce('checkbox', value)).toBe(stored));

  it.each([['maybe'], [2], [{}], ['ja']])('rejects %j', (value) => expectInvalid('checkbox', value));
});

describe('keys and references', () => {
  it('are trimmed and normalized to NFC, with leading zeros and letter case unchanged', () => {
    expect(coerceKey('  000123aB ')).toBe('000123aB');
    expect(coerceKey('u\u0308')).toBe('\u00fc');
    expect(coerceKey(4711)).toBe('4711');
  });

  it('are null if empty', () => {
    for (const empty of ['', '   ', null, undefined]) expect(coerceKey(empty)).toBeNull();
  });

  it('have at most 255 characters', () => {
    expect(coerceKey('😀'.repeat(255))).toBe('😀'.repeat(255));
    expect(coerceKey('x'.repeat(256))).toBeInstanceOf(InvalidValue);
    expectInvalid('reference', 'x'.repeat(256));
  });
});

describe('tagStatus, locationTag, space', () => {
  it('accept only the choices if the column has choices', () => {
    expect(coerce('tagStatus', 'open', { choices: ['open', 'done'] })).toBe('open');
    expect(coerce('tagStatus', 'Open', { choices: ['open', 'done'] })).toBeInstanceOf(InvalidValue);
    expect(coerce('tagStatus', 'anything')).toBe('anything');
  });

  it('store integers as text', () => {
    expect(coerce('locationTag', 17)).toBe('17');
    expect(coerce('space', 42)).toBe('42');
  });
});

describe('messages', () => {
  it.each<[ColumnType, string, string]>([
    ['number', 'x'.repeat(3_000), `"${'x'.repeat(57)}…" is not a number.`],
    ['number', '1'.repeat(3_000), `The number ${'1'.repeat(59)}… is too large.`],
    ['number', `1${'0'.repeat(100)}`, `The number 1${'0'.repeat(58)}… is beyond`],
    ['date', `${'x'.repeat(56)}\\\n`.repeat(10), `"${'x'.repeat(56)}…" is not a date. Send`],
    ['date', `${'x'.repeat(56)}😀`.repeat(10), `"${'x'.repeat(56)}…" is not a date. Send`],
    ['checkbox', 'x'.repeat(58), `"${'x'.repeat(58)}" is not a checkbox value.`],
  ])('of a long %s quote its beginning, and are whole sentences: %#', (type, value, message) => {
    const invalid = coerce(type, value) as InvalidValue;
    expect(invalid.message.slice(0, message.length)).toBe(message);
    expect(invalid.message).toMatch(/\.$/);
  });

  it.each<[ColumnType, unknown, string]>([
    ['number', Infinity, 'The number is too large.'],
    [
      'number',
      '0.1234567890123456789',
      '"0.1234567890123456789" has more digits than a number can store (15). Store it as text.',
    ],
    [
      'number',
      '12345678901234567890.5',
      'The number 12345678901234567890.5 is beyond ±(2^53 − 1) and would lose digits. Store it as text.',
    ],
    ['date', 20260131, '20260131 is not a date. Send the text YYYY-MM-DD, YYYYMMDD or a date-time with an offset,'],
  ])('of a %s state what to send: %j', (type, value, message) => {
    expect((coerce(type, value) as InvalidValue).message.slice(0, message.length)).toBe(message);
  });
});
