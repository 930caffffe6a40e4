import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type Cells, CsvRecords } from './csv-records.js';
import { guardFormula, toCsvRecord, unguardFormula } from './csv-text.js';

const MAX_LENGTH = 10_000;

/** Reads the text in blocks of whole lines, as an import does. @param every lines a block. */
function read(text: string, every = 1): { cells: Cells; line: number }[] {
  const found: { cells: Cells; line: number }[] = [];
  const records = new CsvRecords(MAX_LENGTH);
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  for (let from = 0; from < lines.length; from += every)
    records.read(lines.slice(from, from + every).join(''), (cells, line) => found.push({ cells, line }));
  records.end();
  return found;
}

/** Reads the text by csv-parse. An empty cell with quotes is an empty text. */
function parsed(text: string): Cells[] {
  const options = { relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] };
  const cast = (cell: string, { quoting }: { quoting: boolean }) =>
    cell === '' && !quoting ? null : unguardFormula(cell);
  return parse(text, { ...options, cast });
}

const cell = fc.oneof(
  fc.string({ maxLength: 5, unit: fc.constantFrom('a', 'ü', '🙂', ' ', ',', '"', '\n', '\r', '\r\n') }),
  fc.string({ maxLength: 5 }),
);
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const written = fc
  .tuple(cell, fc.boolean())
  .map(([text, always]) => (always || /[",\r\n]/.test(text) ? quoted(text) : text));
const file = fc
  .array(fc.tuple(fc.array(written, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n')), { maxLength: 8 })
  .map((records) => records.map(([cells, end]) => cells.join(',') + end).join(''));

describe('CSV', () => {
  it('is read as csv-parse reads it, however it is cut into blocks', () => {
    fc.assert(
      fc.property(file, fc.integer({ min: 1, max: 5 }), fc.boolean(), (text, every, cut) => {
        const whole = cut ? text.replace(/\r?\n$|\r$/, '') : text;
        expect(read(whole, every).map(({ cells }) => cells)).toEqual(parsed(whole));
      }),
      { numRuns: 500 },
    );
  });

  it('names the line on which each record begins', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), (records) => {
        let line = 1;
        let text = '';
        const lines = records.map((cells) => {
          const record = `${cells.map(quoted).join(',')}\r\n`;
          const begins = line;
          line += record.split(/\r\n|\r|\n/).length - 1;
          text += record;
          return begins;
        });
        expect(read(text).map((record) => record.line)).toEqual(lines);
      }),
    );
  });

  it.each([
    ['"b" c', 1],
    ['a\n"b"c', 2],
    ['a\n\n"b\n', 3],
    ['a,"b', 1],
  ])('that is malformed names its line: %j', (text, line) => {
    expect(() => read(text)).toThrow(`Line ${line} `);
  });

  it('rejects a row at the byte limit if its quote is never closed', () => {
    expect(() => read(`a\n"${'x\n'.repeat(MAX_LENGTH)}`)).toThrow(/Line 2 begins a row of more than 10000 characters/);
  });

  it('contains a quote as text in a cell that does not begin with a quote', () => {
    expect(read('5" pipe,3/4"\r').map(({ cells }) => cells)).toEqual([['5" pipe', '3/4"']]);
  });

  it('ends lines only at LF, CR and CRLF', () => {
    expect(read('a\u2028b\u0085c\vd\re\r\nf').map(({ cells }) => cells)).toEqual([
      ['a\u2028b\u0085c\vd'],
      ['e'],
      ['f'],
    ]);
  });

  it('is read as it was written, also formulas, apostrophes and empty texts', () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.string({
        maxLength: 4,
        unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\n', '\r', '"', ',', ' ', 'a', '\uff1d', '\u2028'),
      }),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 4 }), (values) => {
        const text = toCsvRecord(values.map((each) => (each === null ? null : guardFormula(each))));
        expect(read(text, 10).map(({ cells }) => cells)).toEqual([values]);
      }),
      { numRuns: 2_000 },
    );
  });
});
