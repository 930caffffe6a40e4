import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { JsonLines } from './json-lines.js';

const COLUMNS = [
  { key: 'key', type: 'text' },
  { key: 'number', type: 'number' },
  { key: 'check', type: 'checkbox' },
] as CatalogColumn[];

type Row = [string | null, number | null, boolean | null];

/** The escapes that PostgreSQL documents for COPY. */
const ESCAPED: Record<string, string> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

function copied(rows: readonly Row[]): Buffer {
  const lines = rows.map(([key, number, check]) => {
    const values = [
      key?.replace(/[\b\f\n\r\t\v\\]/g, (found) => ESCAPED[found]!),
      number?.toString(),
      check === null ? undefined : check ? 't' : 'f',
    ];
    return `${values.map((value) => value ?? '\\N').join('\t')}\n`;
  });
  return Buffer.from(lines.join(''));
}

/** Cuts at any byte, possibly within a character. */
function cut(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\\', 'N', 'v', 'b', '"', '\v', '\t', '\n', '\x01', '\x1f', '\x7f', 'ü') }),
);
const row = fc.tuple(
  fc.option(anyText.map((value) => value.replaceAll('\0', ''))),
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0))),
  fc.option(fc.boolean()),
);

describe('JsonLines', () => {
  it('converts each row to an object, independent of the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 50 }), async (rows, size) => {
        const lines = await text(Readable.from(cut(copied(rows), size)).pipe(new JsonLines(COLUMNS)));
        const objects = lines.split('\n').slice(0, -1);
        expect(objects.map((line): unknown => JSON.parse(line))).toEqual(
          rows.map(([key, number, check]) => ({ key, number, check })),
        );
      }),
      { numRuns: 300 },
    );
  });
});
