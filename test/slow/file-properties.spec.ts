import fc from 'fast-check';
import { CommandLine } from '../support/command-line.js';
import { parse } from 'csv-parse/sync';
import { shareService } from '../support/shared-services.js';

/** FILE_CASES=20000 FILE_SEED=7 npm run test:slow -- file-properties */
const CASES = Number(process.env['FILE_CASES'] ?? 2_000);
const SEED = Number(process.env['FILE_SEED'] ?? Date.now() % 1_000_000);
const DIALECTS = 10;

const TYPES = ['text', 'number', 'date', 'checkbox', 'reference', 'space'] as const;
type Row = Record<string, string | number | boolean | null>;

let atrium: CommandLine;

beforeAll(async () => {
  const { service } = await shareService();
  atrium = new CommandLine(service, await service.provision());
  console.log(`FILE_SEED=${SEED}`);
});

afterAll(() => atrium.remove());

const table = (name: string) => atrium.client.assets<Row>(name);
const create = (name: string) =>
  table(name).upsert([], {
    columns: [{ name: 'key', type: 'text' }, ...TYPES.map((type) => ({ key: `c_${type}`, name: `c_${type}`, type }))],
  });

async function rowsOf(name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of table(name).rows()) rows.push(row);
  return rows;
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 4 });
const number = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    fc.array(digits, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('.', ',', ' ', "'"),
    fc.constantFrom('', '-', 'e2'),
  )
  .map(([sign, parts, separator, end]) => `${sign}${parts.join(separator)}${end}`);
const day = fc
  .tuple(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 13 }), fc.constantFrom('.', '/', '-'), fc.boolean())
  .map(([first, second, separator, isIso]) => {
    const two = (part: number) => String(part).padStart(2, '0');
    return isIso ? `2024-${two(second)}-${two(first)}` : [two(first), two(second), '2024'].join(separator);
  });
const word = fc.string({
  unit: fc.constantFrom(
    ...['a', 'ü', '€', ' ', "'", '=', '+', '-', '@', '"', ';', ',', '\n', '\r', '\t', '\u2028', '0', '|'],
  ),
  maxLength: 6,
});
const plainText = fc.constantFrom(
  'X',
  'yes',
  'NO',
  'true',
  '1',
  '0',
  '',
  'n/a',
  '00000000',
  '00.00.0000',
  ' 5 ',
  'NaN',
);
const cell = fc.oneof(number, day, word, plainText);

const dialect = fc.record({
  trim: fc.boolean(),
  decimal: fc.constantFrom('.' as const, ',' as const),
  thousands: fc.constantFrom(undefined, ' ' as const, "'" as const, '.' as const, ',' as const),
  format: fc.constantFrom('DD.MM.YYYY', 'M/D/YYYY', 'D-M-YYYY'),
});

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

it('a cell has the same value, or the same error, over HTTP and by both conversions of the command line', async () => {
  const perDialect = Math.ceil(CASES / DIALECTS);
  for (const [position, { trim, decimal, thousands, format }] of fc
    .sample(dialect, { numRuns: DIALECTS, seed: SEED })
    .entries()) {
    const group = thousands === decimal ? undefined : thousands;
    const cells = fc.sample(fc.tuple(fc.integer({ min: 0, max: TYPES.length - 1 }), cell), {
      numRuns: perDialect,
      seed: SEED + position,
    });
    // Each row has one cell, so that a row has one error.
    const lines = cells.map(([column, text], row) =>
      [`K${row}`, ...TYPES.map((_, at) => (at === column ? quoted(text) : ''))].join(','),
    );
    const file = ['key,' + TYPES.map((type) => `c_${type}`).join(','), ...lines].join('\n');
    const names = { http: `Http ${position}`, chunks: `Chunks ${position}`, mapped: `Mapped ${position}` };
    for (const name of Object.values(names)) await create(name);
    const report = await table(names.http).import(file, {
      format: 'csv',
      onError: 'continue',
      trim,
      decimal,
      ...(group && { thousands: group }),
      dateFormat: [format],
      nullValues: ['n/a'],
    });
    atrium.write('cells.csv', file);
    const mapping = (map: string) => `
trim: ${trim}
decimal: '${decimal}'
${group ? `thousands: ${JSON.stringify(group)}` : ''}
nullValues: ['n/a']
columns:
  - { from: key }
${TYPES.map((type) => `  - { from: c_${type}, type: ${type}${type === 'date' ? `, format: ${format}` : ''}${map} }`).join('\n')}
`;
    atrium.write('plain.yaml', mapping(''));
    atrium.write('mapped.yaml', mapping(', map: { never: x }'));
    const importBy = (name: string, file: string, ...flags: string[]) =>
      atrium.run([
        'import',
        'cells.csv',
        '--table',
        name,
        '--mapping',
        file,
        '--on-error',
        'continue',
        '--json',
        ...flags,
      ]);
    const [chunks, mapped] = await Promise.all([
      importBy(names.chunks, 'plain.yaml', '--results', `out-${position}`),
      importBy(names.mapped, 'mapped.yaml'),
    ]);
    const context = { seed: SEED, position, trim, decimal, group, format };
    const stored = await rowsOf(names.http);
    expect({ ...context, rows: await rowsOf(names.chunks) }).toEqual({ ...context, rows: stored });
    expect({ ...context, rows: await rowsOf(names.mapped) }).toEqual({ ...context, rows: stored });
    const rejected = parse<Record<string, string>>(atrium.read(`out-${position}/rejected.csv`), { columns: true });
    const expected = (await errorsOf(report.importId)).map(({ line, code, column }) => `${line} ${code} ${column}`);
    expect(rejected.map(({ line, code, column }) => `${line} ${code} ${column}`)).toEqual(expected);
    expect(JSON.parse(chunks.stdout)).toMatchObject({ rejected: expected.length });
    expect(JSON.parse(mapped.stdout)).toMatchObject({ rejected: expected.length });
    // The cells are mixed: some are stored, some are rejected.
    expect(expected.length).toBeGreaterThan(0);
    expect(stored.length).toBeGreaterThan(0);
  }
});

/** All errors of an import, in the order of the file. */
async function errorsOf(importId: string): Promise<{ line: number; code: string; column: string }[]> {
  const { baseUrl } = atrium.service;
  const { apiKey, workspaceId } = atrium.caller;
  const response = await fetch(`${baseUrl}/v2/api/workspaces/${workspaceId}/cw/imports/${importId}/errors`, {
    headers: { 'x-api-key': apiKey },
  });
  const text = await response.text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { line: number; code: string; column: string });
}

const anyText = fc.oneof(
  word,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => !text.includes('\0')),
  fc.constantFrom(
    '_x000D_',
    "''=a",
    "'t Hart",
    '=1+1',
    '+43 1 555',
    '1e5',
    '0012',
    'true',
    '',
    '\ufeffx',
    '#N/A',
    '2024-01-31',
  ),
);
const orNull = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
const row = fc.record({
  c_text: orNull(anyText),
  c_number: orNull(
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
      fc.constantFrom(1.234, 12.5, 1e-7),
    ),
  ),
  c_date: orNull(fc.constantFrom('2024-01-31', '0001-01-01', '2024-03-31T02:30:00.000Z')),
  c_checkbox: orNull(fc.boolean()),
  c_reference: orNull(fc.constantFrom('K1', '=K2', "'K3", '-4')),
  c_space: orNull(anyText),
});

it('an export that is imported again changes nothing: CSV and NDJSON over HTTP, and workbooks, too, by the command line', async () => {
  const prefixes = fc.sample(fc.constantFrom('', '=', '+', '-', '@', "'", "'=", 'Ü'), { numRuns: CASES, seed: SEED });
  const rows = fc
    .sample(row, { numRuns: CASES, seed: SEED })
    .map((values, position) => ({ key: `${prefixes[position]!}K${position}`, ...values }));
  await create('Round');
  await table('Round').upsert(rows as Row[]);
  const stored = await rowsOf('Round');
  expect(stored).toHaveLength(CASES);
  const unchanged = { created: 0, updated: 0, unchanged: CASES, failed: 0 };
  for (const format of ['csv', 'ndjson'] as const) {
    const report = await table('Round').import(await table('Round').export({ format }), { format });
    expect({ format, ...report.totals }).toMatchObject({ format, ...unchanged });
  }
  for (const format of ['csv', 'ndjson', 'xlsx']) {
    const file = `round.${format}`;
    await atrium.json('export', 'Round', '--format', format, '--output', file);
    expect({ format, ...(await atrium.json('import', file, '--table', 'Round')) }).toMatchObject({
      format,
      created: 0,
      updated: 0,
      rejected: 0,
      unchanged: CASES,
    });
    // Not the rows of the same table: those of an empty one.
    await create(`Copy ${format}`);
    await atrium.json('import', file, '--table', `Copy ${format}`);
    expect(await rowsOf(`Copy ${format}`)).toEqual(stored);
  }
});
