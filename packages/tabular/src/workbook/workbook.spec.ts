import { writeXlsx } from 'hucre/xlsx';
import { InvalidCell, PaddedNumber, type WorkbookCell } from './cells.js';
import { Workbook } from './workbook.js';

interface NumberCell {
  value: number;
  format: string;
  dateSystem?: '1900' | '1904';
}

/** @returns the cell A2 of a workbook, or the problem of an invalid cell. */
async function read(written: NumberCell): Promise<unknown> {
  const cell = await readCell(written);
  return cell instanceof InvalidCell ? cell.problem : cell;
}

async function readCell({ value, format, dateSystem = '1900' }: NumberCell): Promise<WorkbookCell | undefined> {
  const cells = new Map([['1,0', { value, style: { numFmt: format } }]]);
  const bytes = await writeXlsx({ dateSystem, sheets: [{ name: 'S', rows: [['a'], [value]], cells }] });
  const workbook = await Workbook.open(new Uint8Array(bytes), 1_000_000, { sheet: 'sheet', headerRow: 'header row' });
  const { rows } = await workbook.read(undefined, 1);
  return [...rows][0]!.cells[0];
}

describe('a date, time or duration of a workbook', () => {
  it.each<[string, NumberCell, string]>([
    ['a duration', { value: 1.5, format: '[h]:mm' }, '36:00'],
    ['a negative duration', { value: -0.05, format: '[h]:mm' }, '-01:12'],
    ['a negative duration with seconds', { value: -1.5 - 1 / 86_400, format: '[h]:mm' }, '-36:00:01'],
    ['a negative duration since 1904', { value: -0.05, format: '[h]:mm', dateSystem: '1904' }, '-01:12'],
    ['a duration of 59 days', { value: 59.5, format: '[h]:mm' }, '1428:00'],
    ['a duration of 60 days', { value: 60.5, format: '[h]:mm' }, '1452:00'],
    ['a duration of 62 days', { value: 62.5, format: '[h]:mm' }, '1500:00'],
    ['a duration of 62 days since 1904', { value: 62.5, format: '[h]:mm', dateSystem: '1904' }, '1500:00'],
    ['decimals of seconds', { value: 65.5 / 86_400, format: 'mm:ss.0' }, '00:01:05.500'],
    ['hidden decimals of seconds', { value: 30_600.25 / 86_400, format: 'h:mm' }, '08:30:00.250'],
    ['a time with an inexact number', { value: 0.1 + 0.2 + 1 / 24, format: 'h:mm' }, '08:12'],
    ['a time of another day', { value: 45_322.5, format: 'h:mm' }, '12:00'],
    ['a negative time', { value: -0.05, format: 'h:mm' }, 'a time before 00:00'],
    ['a date', { value: 45_322, format: 'yyyy-mm-dd' }, '2024-01-31'],
    ['a date since 1904', { value: 43_860, format: 'yyyy-mm-dd', dateSystem: '1904' }, '2024-01-31'],
    ['a date-time', { value: 45_322.25, format: 'yyyy-mm-dd hh:mm' }, '2024-01-31T06:00:00.000Z'],
    ['the first exact date', { value: 61, format: 'yyyy-mm-dd' }, '1900-03-01'],
    ['an inexact date', { value: 60, format: 'yyyy-mm-dd' }, 'a date before 1900-03-01 is not exact'],
    ['the last date', { value: 2_958_465, format: 'yyyy-mm-dd' }, '9999-12-31'],
    ['the year 10000', { value: 2_958_466, format: 'yyyy-mm-dd' }, 'a date outside of the years 1 to 9999'],
    [
      'the year 0',
      { value: -700_000, format: 'yyyy-mm-dd', dateSystem: '1904' },
      'a date outside of the years 1 to 9999',
    ],
    ['no date', { value: 1e12, format: 'yyyy-mm-dd' }, 'a date outside of the years 1 to 9999'],
    ['no duration', { value: 1e12, format: '[h]:mm' }, 'a date outside of the years 1 to 9999'],
  ])('%s', async (_, cell, value) => expect(await read(cell)).toBe(value));
});

describe('a number of a workbook', () => {
  it.each([
    { value: 12.5, format: '0' },
    { value: 12.5, format: '000' },
    { value: 0, format: '0;-0;;@' },
  ])('is a number, but not a text, if it is not displayed completely: %j', async ({ value, format }) => {
    const cell = (await readCell({ value, format })) as PaddedNumber;
    expect(cell).toBeInstanceOf(PaddedNumber);
    expect(cell.value).toBe(value);
    expect(cell.text).toMatchObject({
      address: 'A2',
      problem: `${value} is not displayed as it is by the format ${format}`,
    });
  });

  it('has a text if it is displayed completely', async () => {
    expect(await readCell({ value: 47, format: '"P-"000' })).toEqual(new PaddedNumber(47, 'P-047', true));
    expect(await read({ value: 47, format: '0' })).toBe(47);
    expect(await read({ value: 2 ** 60, format: '0' })).toContain('beyond 2^53');
  });
});
