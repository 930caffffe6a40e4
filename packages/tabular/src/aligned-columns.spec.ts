import { alignColumns } from './aligned-columns.js';

it('aligns every row with the others, however many there are', () => {
  const rows = Array.from({ length: 250 }, (_, at) => [`key ${at}`, `名 ${at}`, 'end']);
  const lines = alignColumns(rows, [10, 8, 5]).split('\n');
  expect(lines).toHaveLength(250);
  for (const [at, line] of lines.entries()) expect(line).toBe(`${`key ${at}`.padEnd(10)}${`名 ${at}`.padEnd(7)}end`);
});

it('shortens a cell that is wider than its column, or continues it', () => {
  expect(alignColumns([['abcdefgh', 'x']], [6, 3])).toBe('abc…  x');
  expect(alignColumns([['abcdefgh', 'x']], [6, 3], 'continue')).toBe('abcd  x\nefgh');
});

it('returns nothing for no rows', () => {
  expect(alignColumns([], [5])).toBe('');
});
