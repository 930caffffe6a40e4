import fc from 'fast-check';
import type { ApiResponse } from '../support/api.js';
import { lines, NDJSON, sendFile } from '../support/imports.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { errorsOf } from '../support/table-administration.js';
import { column, type Item, Tables, text, unique } from '../support/tables.js';

let services: SharedService[];
let instances: Tables[];

beforeAll(async () => {
  ({ services } = await shareServices(2));
  const credentials = await services[0]!.provision();
  instances = services.map((service) => Tables.of(service, credentials));
}, 60_000);

/** Sequences of requests; more with CONSTRAINT_RUNS. */
const RUNS = Number(process.env['CONSTRAINT_RUNS'] ?? 60);

const COLUMNS = (name: string) => [
  text('Key'),
  column('Number', 'number', { options: { minimum: 0, maximum: 10 } }),
  text('Text', { options: { minLength: 2, maxLength: 4 } }),
  text('Pattern', { options: { pattern: '^[ab]+$', level: 'warning' } }),
  column('Date', 'date', { options: { earliest: '2024-01-01', latest: '2024-12-31' } }),
  text('Serial', { options: { unique: true } }),
  text('Pair', { options: { indexed: true } }),
  column('Other', 'reference', { options: { target: { entity: 'asset', table: name }, mustExist: true } }),
];

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const VALUES: Record<string, Item[string][]> = {
  number: [null, -0.5, 0, 10, 10.5],
  text: [null, 'x', 'xy', 'wxyz', 'vwxyz', '🙂🙂'],
  pattern: [null, 'ab', 'abc'],
  date: [null, '2023-12-31', '2024-01-01', '2024-12-31', '2025-01-01'],
  serial: [null, null, 'S1', 'S2', 'S3'],
  pair: [null, null, 'P1', 'P2'],
  other: [null, null, 'a', 'b', 'c', 'z'],
};

type Rows = ReadonlyMap<string, Item>;

interface Violation {
  key: string;
  column: string;
  code: string;
}

/** The violations of a row, in the order of the columns. */
function findViolations(row: Item, rows: Rows): Violation[] {
  const {
    key,
    number,
    text: value,
    pattern,
    date,
    serial,
    pair,
    other,
  } = row as Record<string, string | number | null>;
  const isSamePair = (each: Item) => each['pair'] === pair && each['number'] === number;
  const found: [boolean, string, string][] = [
    [number !== null && Number(number) < 0, 'number', 'below_minimum'],
    [number !== null && Number(number) > 10, 'number', 'above_maximum'],
    [value !== null && [...String(value)].length < 2, 'text', 'too_short'],
    [value !== null && [...String(value)].length > 4, 'text', 'too_long'],
    [pattern !== null && pattern === 'abc', 'pattern', 'pattern_mismatch'],
    [date !== null && String(date) < '2024-01-01', 'date', 'too_early'],
    [date !== null && String(date) > '2024-12-31', 'date', 'too_late'],
    [
      serial !== null && [...rows.values()].filter((each) => each['serial'] === serial).length > 1,
      'serial',
      'not_unique',
    ],
    [pair !== null && number !== null && [...rows.values()].filter(isSamePair).length > 1, 'pair', 'not_unique'],
    [other !== null && !rows.has(String(other)), 'other', 'target_missing'],
  ];
  return found.flatMap(([isViolated, name, code]) => (isViolated ? [{ key: String(key), column: name, code }] : []));
}

const isWarning = ({ code }: Violation) => code === 'pattern_mismatch';

interface Outcome {
  rows: Rows;
  errors: Violation[];
  warnings: Violation[];
}

const EMPTY = Object.fromEntries(Object.keys(VALUES).map((name) => [name, null]));

interface Request {
  items: readonly Item[];
  /** Are the valid rows stored? */
  continues?: boolean;
  /** Are the rows deleted that the request lacks? */
  replaces?: boolean;
  /** Are omitted values null? */
  isComplete?: boolean;
}

/** What a request does. */
function write(before: Rows, { items, continues, replaces, isComplete }: Request): Outcome {
  const sent = new Set(items.map(({ key }) => String(key)));
  const remaining = [...before].filter(([key]) => !replaces || sent.has(key));
  const stored = (item: Item) => (isComplete ? {} : before.get(String(item['key'])));
  const merged = items.map((item): Item => ({ ...EMPTY, ...stored(item), ...item }));
  let accepted = merged.filter((row) => !isEqual(row, before.get(String(row['key']))));
  const errors: Violation[] = [];
  for (;;) {
    const rows = new Map([...remaining, ...accepted.map((row) => [String(row['key']), row] as const)]);
    const found = accepted.flatMap((row) => findViolations(row, rows));
    const rejected = found.filter((each) => !isWarning(each));
    if (rejected.length === 0) return { rows, errors, warnings: found };
    errors.push(...rejected);
    if (!continues) return { rows: before, errors, warnings: [] };
    accepted = accepted.filter((row) => !rejected.some(({ key }) => key === row['key']));
  }
}

function isEqual(row: Item, stored: Item | undefined): boolean {
  return stored !== undefined && Object.entries(row).every(([name, value]) => stored[name] === value);
}

/** Rows with distinct keys. Each omits columns, or sends them all. */
const items = fc.uniqueArray(
  fc
    .record(Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, fc.constantFrom(...values)])), {
      requiredKeys: [],
    })
    .chain((values) => fc.constantFrom(...KEYS).map((key): Item => ({ key, ...(values as Item) }))),
  { selector: ({ key }) => key, minLength: 1, maxLength: 5 },
);

const WAYS = [
  'bulk',
  'bulk, continued',
  'file',
  'file, continued',
  'replacement',
  'replacement, continued',
  'comparison',
  'dry run',
  'PATCH',
  'PUT',
  'undo',
] as const;
type Way = (typeof WAYS)[number];
const step = fc.record({ items, way: fc.constantFrom(...WAYS), instance: fc.nat({ max: 1 }) });

const select = (found: { key: string; column: string; code: string }[] = []) =>
  found.map(({ key, column: name, code }) => `${key} ${name} ${code}`).sort();

/** The state of a table, and what the last batch has changed. */
interface State {
  rows: Rows;
  /** Undefined if the last request was not a batch. */
  last?: { batchId: string; before: Rows };
}

/** A table of the model on an instance. */
class ModelledTable {
  constructor(
    private readonly tables: Tables,
    private readonly name: string,
  ) {}

  private get path(): string {
    return `${this.tables.path}/assets/${encodeURIComponent(this.name)}`;
  }

  /** Sends a request, and compares its effect with the model. */
  async run(way: Way, sent: readonly Item[], state: State): Promise<State> {
    if (way === 'undo') return this.undo(state);
    if (way === 'comparison') return this.compare(sent, state);
    if (way === 'PUT' || way === 'PATCH') return this.writeOne(way, sent[0]!, state);
    return this.load(way, sent, state);
  }

  private async load(way: Way, items: readonly Item[], { rows }: State): Promise<State> {
    const [continues, replaces] = [way.endsWith('continued'), way.startsWith('replacement')];
    const query: Record<string, string> = {};
    if (continues) query['onError'] = 'continue';
    if (replaces) Object.assign(query, { mode: 'replace', maxDeletions: '100%' });
    if (way === 'dry run') query['dryRun'] = 'true';
    const isFile = replaces || way.startsWith('file');
    const answer = isFile
      ? await sendFile(this.tables, this.name, lines([...items]), { surface: 'assets', query })
      : await this.tables.bulk('assets', { name: this.name, items: [...items] }, query);
    const expected = write(rows, { items, continues, replaces });
    expectErrors(answer, expected, continues);
    const { data } = answer.body;
    if (data) expect(select(data.warnings?.errors)).toEqual(select(expected.warnings));
    if (way === 'dry run') return { rows };
    return { rows: expected.rows, last: data ? { batchId: data.batchId as string, before: rows } : undefined };
  }

  private async writeOne(way: 'PUT' | 'PATCH', item: Item, { rows }: State): Promise<State> {
    const { key, ...values } = item;
    if (way === 'PATCH' && !rows.has(String(key))) return { rows };
    const path = `${this.path}/items/${String(key)}`;
    const answer = await (way === 'PUT' ? this.tables.api.put(path, values) : this.tables.api.patch(path, values));
    const expected = write(rows, { items: [item], isComplete: way === 'PUT' });
    const isNew = expected.errors.length === 0 && !rows.has(String(key));
    expectErrors(answer, expected, false, isNew ? 201 : 200);
    return { rows: expected.rows };
  }

  /** A comparison has the errors of a replacement that stores the valid rows. */
  private async compare(items: readonly Item[], { rows }: State): Promise<State> {
    const answer = await this.tables.api.send(`${this.path}/items/compare`, {
      method: 'POST',
      body: lines([...items]),
      headers: { 'Content-Type': NDJSON },
    });
    // One line is parsed already.
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    const found = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Violation & { change?: string });
    const errors = found.filter(({ change }) => change === 'error');
    const expected = write(rows, { items, continues: true, replaces: true });
    expect(select(errors)).toEqual(select(expected.errors));
    return { rows };
  }

  /** Restores all rows, also those that violate a constraint, and reports them. */
  private async undo({ rows, last }: State): Promise<State> {
    if (!last) return { rows };
    const answer = await this.tables.api.post(`${this.tables.path}/batches/${last.batchId}/undo`);
    expect(answer.status).toBe(200);
    const restored = [...last.before.values()].filter((row) => !isEqual(row, rows.get(String(row['key']))));
    const violations = restored.flatMap((row) => findViolations(row, last.before));
    expect(answer.body.data.violations.total).toBe(violations.length);
    expect(select(answer.body.data.violations.first)).toEqual(select(violations).slice(0, 20));
    return { rows: last.before };
  }
}

function expectErrors(answer: ApiResponse, { errors }: Outcome, continues: boolean, status = 200): void {
  const isRejected = errors.length > 0;
  expect(answer.status).toBe(isRejected ? (continues ? 207 : 422) : status);
  const found = isRejected && !continues ? errorsOf(answer) : answer.body.data.errors;
  expect(select(found)).toEqual(select(errors));
}

it('requests accept and reject the rows that a model does, by all ways of writing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const name = unique('Model');
      const [first] = instances as [Tables];
      await first.bulk('assets', { name, columns: COLUMNS(name), items: [] });
      const path = `${first.path}/assets/${encodeURIComponent(name)}`;
      await first.api.put(path, { options: { uniqueTogether: [['pair', 'number']] } });
      let state: State = { rows: new Map() };
      for (const { items: sent, way, instance } of steps) {
        state = await new ModelledTable(instances[instance]!, name).run(way, sent, state);
        const stored = await instances[instance]!.rows('assets', name);
        const rows = [...state.rows.values()].sort((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));
        expect(stored).toEqual(rows);
      }
      const listed = await first.api.get(`${path}/violations`);
      const expected = [...state.rows.values()].flatMap((row) => findViolations(row, state.rows));
      expect(select(listed.body.data.items)).toEqual(select(expected));
    }),
    { numRuns: RUNS },
  );
}, 600_000);
