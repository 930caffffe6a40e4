import fc from 'fast-check';
import { getCoercion } from '../../../../packages/tabular/src/coercions.js';
import { adaptCoercion, createNumberConversion, parseDateFormat } from '../../../../packages/tabular/src/dialect.js';
import { ColumnEvidence } from './column-evidence.js';
import type { DialectFlags } from '../import/load-flags.js';
import { getSeparators, inferColumn, inferDialect, type InferredDialect } from './infer-dialect.js';

/** Infers the type of a column. @returns undefined if the user is asked */
function infer(cells: readonly string[], flags: DialectFlags = {}) {
  const separators = getSeparators(flags);
  const numbers = separators && createNumberConversion(separators);
  const evidence = new ColumnEvidence('c', undefined, {
    numbers,
    dates: flags.dateFormat?.flatMap((format) => parseDateFormat(format) ?? []),
  });
  cells.forEach((cell, at) => {
    evidence.add(cell, at + 2);
  });
  let dialect: InferredDialect;
  try {
    dialect = inferDialect([evidence], flags, false);
  } catch (error) {
    if ((error as Error).message.includes('Nothing was stored')) return undefined;
    throw error;
  }
  const { type } = inferColumn(evidence, dialect);
  const dates = dialect.dateFormats.flatMap((format) => parseDateFormat(format) ?? []);
  const rules = { ...dialect, trim: false, nullValues: new Set<string>(), dates };
  return { type, convert: adaptCoercion(rules, type, getCoercion(type)), dialect };
}

/** The value as the file writes it: with its separators, decimals, sign, and format of the date. */
function print(value: unknown, cell: string, { decimal, dateFormats }: InferredDialect): string {
  if (value === null) return cell;
  if (typeof value === 'boolean') {
    if (/^x$/i.test(cell)) return value ? cell : '';
    const text = String(value);
    return (
      [text, text.toUpperCase(), text.replace(/^./, (first) => first.toUpperCase())].find((each) => each === cell) ??
      text
    );
  }
  if (typeof value === 'string') {
    const candidates = dateFormats.map((format) => printDate(value, format, cell));
    const day = value.replaceAll('-', '');
    const instant = [
      value,
      value.replace(/0+Z$/, 'Z'),
      value.replace(/\.000Z$/, 'Z'),
      value.replace(/:00\.000Z$/, 'Z'),
    ];
    return [...candidates, day, ...instant].find((each) => each === cell) ?? value;
  }
  const fraction = cell.includes(decimal) ? /(\d*)-?$/.exec(cell)![1]!.length : 0;
  const [integer = '', decimals] = Math.abs(value as number)
    .toFixed(fraction)
    .split('.');
  const group = /\d([^\d])\d{3}(?!\d)/.exec(cell.split(decimal)[0]!)?.[1];
  const grouped = group ? integer.replace(/\B(?=(?:\d{3})+$)/g, group) : integer;
  const digits = decimals === undefined ? grouped : `${grouped}${decimal}${decimals}`;
  if ((value as number) >= 0) return digits;
  return cell.endsWith('-') ? `${digits}-` : `-${digits}`;
}

function printDate(iso: string, format: string, cell: string): string {
  const [year = '', month = '', day = ''] = iso.split('-');
  const isShort = !/(?:^|\D)0\d(?:\D|$)/.test(cell);
  const parts: Record<string, string> = {
    YYYY: year,
    MM: month,
    DD: day,
    M: isShort ? String(Number(month)) : month,
    D: isShort ? String(Number(day)) : day,
  };
  return format.replace(/YYYY|MM?|DD?/g, (part) => parts[part]!);
}

const digits = fc.array(fc.constantFrom(...'0012345679'), { minLength: 1, maxLength: 5 }).map((all) => all.join(''));
const two = fc.integer({ min: 0, max: 35 }).map((part) => String(part).padStart(2, '0'));
const CELLS: fc.Arbitrary<string>[] = [
  digits,
  fc
    .tuple(fc.constantFrom('', '-', '+'), digits, fc.constantFrom('.', ','), digits, fc.constantFrom('', '-'))
    .map((all) => all.join('')),
  fc
    .tuple(
      fc.constantFrom('1', '12', '-7', '0'),
      fc.constantFrom('.', ',', ' ', '\u00a0', "'", '\u2019'),
      fc.constantFrom('000', '234', '567'),
    )
    .map((all) => all.join('')),
  fc
    .tuple(fc.constantFrom('1.234', '7', '1,5', '.5', '-0', '0,0'), fc.constantFrom('', ',50', '.50', '-'))
    .map((all) => all.join('')),
  fc
    .tuple(two, fc.constantFrom('.', '/', '-'), two, fc.constantFrom('.2024', '/2024', '-2024', '.24'))
    .map((all) => all.join('')),
  fc
    .tuple(fc.constant('2024'), fc.constantFrom('-', '/', ''), two, fc.constantFrom('-', '/', ''), two)
    .map((all) => all.join('')),
  fc
    .tuple(
      fc.constant('2024-01-31'),
      fc.constantFrom('T', ' '),
      two,
      fc.constant(':00'),
      fc.constantFrom('', ':30', ':30.5', ':30.123456'),
      fc.constantFrom('Z', 'z', '', '+01:00'),
    )
    .map((all) => all.join('')),
  fc.constantFrom('true', 'True', 'TRUE', 'false', 'False', 'X', 'x', 'yes', '1'),
];
const column = fc.oneof(
  // Cells of one kind, and of several.
  ...CELLS.map((cell) => fc.array(cell, { minLength: 1, maxLength: 4 })),
  fc.array(fc.oneof(...CELLS), { minLength: 1, maxLength: 3 }),
);
const flags: fc.Arbitrary<DialectFlags> = fc.record({
  decimal: fc.constantFrom(undefined, undefined, '.' as const, ',' as const),
  thousands: fc.constantFrom(undefined, undefined, ' ' as const, "'" as const),
  dateFormat: fc.constantFrom(undefined, undefined, ['DD.MM.YYYY'], ['MM/DD/YYYY'], ['DD/MM/YYYY', 'YYYYMMDD']),
});

describe('the inferred type of a column', () => {
  it('has values that are printed as they were written, or is text', () => {
    fc.assert(
      fc.property(column, flags, fc.boolean(), (cells, given, hasEmpty) => {
        const inferred = infer(hasEmpty ? [...cells, ''] : cells, given);
        if (!inferred || inferred.type === 'text') return;
        const { convert, dialect, type } = inferred;
        const printed = cells.map((cell) => print(convert(cell), cell, dialect));
        expect({ type, printed }).toEqual({ type, printed: cells });
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, string[], DialectFlags, string]>([
    ['plus signs', ['+34123456789', '+4315551234'], {}, 'text'],
    ['local date-times', ['2024-01-31T08:00:00'], {}, 'text'],
    ['offsets', ['2024-01-31T08:00:00+01:00'], {}, 'text'],
    ['days that do not exist', ['31.02.2024', '30.01.2024'], {}, 'text'],
    ['a zero with a sign', ['-0', '5'], {}, 'text'],
    ['no digit before the point', ['.5', '1.5'], {}, 'text'],
    ['letter cases', ['TRUE', 'false'], {}, 'text'],
    ['dates of another format', ['31/12/2024'], { dateFormat: ['MM/DD/YYYY'] }, 'text'],
    ['blanks as separators', ['1 234,50', '12 345,00'], { decimal: ',', thousands: ' ' }, 'number'],
    ['blanks of typography', ['1\u00a0234,50', '12\u202f345,00', '7'], { decimal: ',', thousands: ' ' }, 'number'],
    ['apostrophes', ["1'234.50", '12\u2019345.00'], { thousands: "'" }, 'number'],
    ['signs of SAP', ['100,00-', '1.234,5'], {}, 'number'],
    ['zeros at the end', ['1.50', '2.00'], {}, 'number'],
    ['instants', ['2024-01-31T08:00:00Z', '2024-01-31T08:00:00.5Z'], {}, 'date'],
    ['dates and compact dates', ['2024-01-31', '20240201'], {}, 'date'],
    ['dates of their format', ['12/31/2024', '01/02/2024'], { dateFormat: ['MM/DD/YYYY'] }, 'date'],
  ])('of %s', (_, cells, given, type) => {
    expect(infer(cells, given)?.type).toBe(type);
  });
});
