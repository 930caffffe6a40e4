import { formatList } from './output.js';

const format = (detail: string) =>
  formatList(
    [{ name: 'load', detail }],
    { fields: ['name'], columns: { Name: ({ name }) => name, Detail: (row) => row.detail } },
    '',
  );

it('breaks long lines of a cell within its column and loses nothing of them', () => {
  const detail = Array.from({ length: 40 }, (_, at) => `table-${at}`).join(';');
  const { text } = format(detail);
  const [, ...lines] = text.split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(lines.map((line) => line.slice(6)).join('')).toBe(detail);
});

it('formats a cell of 100,000 characters, with a thousand lines', () => {
  const { text } = format('x'.repeat(100_000));
  expect(text.replaceAll(/[^x]/g, '')).toHaveLength(100_000);
}, 30_000);

it('breaks lines of wide characters, and neither divides nor loses one', () => {
  const { text } = format('🙂'.repeat(200));
  expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  expect(text.match(/🙂/gu)).toHaveLength(200);
});
