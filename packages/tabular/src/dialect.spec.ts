import { getCoercion } from './coercions.js';
import { adaptCoercion, createNumberConversion, parseDateFormat } from './dialect.js';
import { InvalidValue } from './stored-value.js';

describe('dates', () => {
  /** @returns the stored date, or the message of an error. */
  function read(formats: readonly string[], text: string): unknown {
    const dates = formats.map((format) => parseDateFormat(format, 'UTC')!);
    const dialect = { trim: false, nullValues: new Set<string>(), decimal: '.' as const, dates };
    const date = adaptCoercion(dialect, 'date', getCoercion('date'))(text);
    return date instanceof InvalidValue ? date.message : date;
  }

  it.each([
    [['YYYY-DD-MM'], '2024-13-02', '2024-02-13'],
    [['YYYY-DD-MM'], '2024-02-02', '2024-02-02'],
    [['YYYY-DD-MM'], '2024-01-31', '2024-01-31'],
    [['YYYYMMDD', 'DDMMYYYY'], '00000000', null],
    [['DDMMYYYY'], '31122024', '2024-12-31'],
    [['D.M.YYYY', 'DD.MM.YYYY'], '31.12.2024', '2024-12-31'],
    [['D.M.YYYY H:mm:ss'], '1.2.2024 8:05:00,1234567', '2024-02-01T08:05:00.123Z'],
    [['YYYY-MM-DDTHH:mm+00'], '2024-01-02T03:04+00', '2024-01-02T03:04:00.000Z'],
  ])('%j: reads %s as %s', (formats, text, date) => expect(read(formats, text)).toBe(date));

  it.each([
    [['YYYY-DD-MM'], '2024-01-02', '2024-01-02 (ISO 8601), 2024-02-01 (YYYY-DD-MM)'],
    [['YYYYDDMM'], '20240102', '2024-01-02 (ISO 8601), 2024-02-01 (YYYYDDMM)'],
    [['DDMMYYYY'], '01011220', '0101-12-20 (ISO 8601), 1220-01-01 (DDMMYYYY)'],
    [['D/M/YYYY', 'M/D/YYYY'], '3/4/2024', '2024-04-03 (D/M/YYYY), 2024-03-04 (M/D/YYYY)'],
    [
      ['YYYY-DD-MM', 'YYYY-MM-DD'],
      '2024-01-02',
      '2024-01-02 (ISO 8601), 2024-02-01 (YYYY-DD-MM), 2024-01-02 (YYYY-MM-DD)',
    ],
  ])('%j: rejects %s, which has several readings', (formats, text, readings) =>
    expect(read(formats, text)).toBe(`"${text}" has several readings: ${readings}. Write it in another format.`),
  );
});

it('rejects a long format of dates in linear time', () =>
  expect(parseDateFormat(`${'.'.repeat(300_000)}xDMYYYY`)).toBeUndefined());

describe('numbers', () => {
  const read = createNumberConversion({ decimal: ',', thousands: '.' });

  it.each([
    ['1.500', '1500'],
    ['-12.345.678,90', '-12345678.90'],
    ['0,500', '0.500'],
    ['0500', '0500'],
  ])('reads %s as %s', (text, number) => expect(read(text)).toBe(number));

  it.each(['0.500', '-0.500', '00.500', '012.500', '0.000', '0.500,5', '1.50', '1234.567'])(
    'rejects %s, which is not groups of three digits',
    (text) => expect(read(text)).toBeInstanceOf(InvalidValue),
  );
});
