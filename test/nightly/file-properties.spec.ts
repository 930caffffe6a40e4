import fc from 'fast-check';
import { CommandLine } from '../support/command-line.js';
import { parse } from 'csv-parse/sync';
import { shareService } from '../support/shared-services.js';

/** FILE_CASES=20000 FILE_SEED=7 npm run test:nightly -- file-properties */
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

interface Reading {
  trim: boolean;
  decimal: string;
  group: string | undefined;
  format: string;
}
const INVALID = Symbol('invalid');

/** What a cell means, written independently of the rules under test: a value, or `INVALID`. */
function meaningOf(type: (typeof TYPES)[number], sent: string, reading: Reading): unknown {
  const unguarded = /^'+[=+@\t\r\n-]/.test(sent) ? sent.slice(1) : sent;
  const text = reading.trim ? unguarded.trim() : unguarded;
  const trimmed = text.trim();
  if (text === 'n/a') return null;
  if (type === 'text' || type === 'space') return text;
  if (type === 'checkbox') {
    if (['x', 'yes', 'true', '1'].includes(trimmed.toLowerCase())) return true;
    return ['', 'no', 'false', '0'].includes(trimmed.toLowerCase()) ? false : INVALID;
  }
  if (trimmed === '') return null;
  if (type === 'reference') return trimmed.normalize('NFC');
  return type === 'date' ? meaningOfDate(trimmed, reading) : meaningOfNumber(trimmed, reading);
}

function meaningOfDate(text: string, { format }: Reading): unknown {
  const isIso = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const parts = text.split(/[./-]/);
  const orders: Record<string, readonly string[]> = {
    'DD.MM.YYYY': [parts[2]!, parts[1]!, parts[0]!],
    'M/D/YYYY': [parts[2]!, parts[0]!, parts[1]!],
    'D-M-YYYY': [parts[2]!, parts[1]!, parts[0]!],
  };
  const patterns: Record<string, RegExp> = {
    'DD.MM.YYYY': /^\d{2}\.\d{2}\.\d{4}$/,
    'M/D/YYYY': /^\d{1,2}\/\d{1,2}\/\d{4}$/,
    'D-M-YYYY': /^\d{1,2}-\d{1,2}-\d{4}$/,
  };
  if (text === '00000000') return null;
  if (!isIso && !patterns[format]!.test(text)) return INVALID;
  const [year, month, date] = (isIso ? parts : orders[format]!).map(Number) as [number, number, number];
  if (!isIso && year + month + date === 0) return null;
  const utc = new Date(Date.UTC(year, month - 1, date));
  return utc.getUTCMonth() === month - 1 && utc.getUTCDate() === date ? utc.toISOString().slice(0, 10) : INVALID;
}

function meaningOfNumber(text: string, { decimal, group }: Reading): unknown {
  const [, sign = '', unsigned = '', minus = ''] = /^([+-]?)(.*?)(\s*-)?$/.exec(text) ?? [];
  const [, mantissa = '', exponent = ''] = /^(.*?)(e\d+)?$/.exec(unsigned.trimEnd()) ?? [];
  if (minus !== '' && (sign !== '' || exponent !== '' || !/^\d/.test(mantissa))) return INVALID;
  const [integer = '', fraction = '', ...others] = mantissa.split(decimal);
  const groups = group === undefined ? [integer] : integer.split(group);
  const isGrouped = groups.length === 1 || groups.every((part, at) => (at > 0 ? /^\d{3}$/ : /^\d{1,3}$/).test(part));
  const digits = groups.join('') + fraction;
  if (others.length > 0 || !isGrouped || !/^\d+$/.test(digits)) return INVALID;
  const value = Number(`${groups.join('') || '0'}.${fraction || '0'}${exponent}`);
  return value === 0 ? 0 : sign === '-' || minus !== '' ? -value : value;
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

it('a cell has the value that it means, or the same error, over HTTP and by both conversions of the command line', async () => {
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
      thousands: group,
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
    const context = { seed: SEED, position, trim, decimal, group, format };
    const [chunks, mapped] = await Promise.all([
      importBy(names.chunks, 'plain.yaml', '--results', `out-${position}`),
      importBy(names.mapped, 'mapped.yaml'),
    ]);
    const stored = await rowsOf(names.http);
    const meanings = cells.map(([column, text], at) => ({
      key: `K${at}`,
      column: `c_${TYPES[column]!}`,
      text,
      value: meaningOf(TYPES[column]!, text, { trim, decimal, group, format }),
    }));
    const storedByKey = new Map(stored.map((item) => [item['key'], item]));
    const found = meanings.map((meaning) => {
      const item = storedByKey.get(meaning.key);
      return { ...meaning, value: item ? item[meaning.column] : INVALID };
    });
    expect({ ...context, cells: found }).toEqual({ ...context, cells: meanings });
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
