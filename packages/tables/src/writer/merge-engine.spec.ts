import fc from 'fast-check';
import { uuid } from '../../../sql/src/uuid.js';
import { toMissingTableError } from '../catalog/catalog.repository.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { TableNotPermittedError } from '../catalog/policy.errors.js';
import { InvalidTablesError } from '../catalog/tables.errors.js';
import type { PreparedMerge } from './merge-engine.js';
import type { MergeOptions } from './table-plan.js';
import type { RowError } from '../sources/row-errors.js';
import type { RowStream, StagingRowSource } from '../sources/staging-row-source.js';
import { LOG, TableEngine, toStream } from './table-engine.fixture.spec.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text', required: true },
  { name: 'Weight', type: 'number' },
  { name: 'Active', type: 'checkbox' },
  { name: 'Parent', type: 'hierarchyParent' },
  { name: 'Second Parent', type: 'hierarchyParent' },
  { name: 'Location', type: 'reference' },
];

let tables: TableEngine;

beforeAll(async () => {
  tables = await TableEngine.create();
  const columns: ColumnDefinition[] = [{ name: 'Key', type: 'text' }];
  await tables.engine.execute(tables.view, [
    { entity: 'location', name: 'Locations', columns, items: [{ key: 'L1' }, { key: 'L2' }] },
    { entity: 'asset', name: 'Array', columns: COLUMNS, items: [] },
    { entity: 'asset', name: 'Staging', columns: COLUMNS, items: [] },
  ]);
});

afterAll(() => tables.close());

const LINE_OR_TABLE = new Set(['line', 'otherLine', 'table']);

/** Errors and messages contain the line if there is one: replaced by the index, they must be equal. */
function withoutLines<T extends object>(error: T): T {
  const entries = Object.entries(error).filter(([name]) => !LINE_OR_TABLE.has(name));
  const replaced = entries.map(([name, value]) => [name, typeof value === 'string' ? toIndex(value) : value]);
  return Object.fromEntries(replaced) as T;
}

function toIndex(message: string): string {
  return message
    .replace(/in line (\d+)/, (_match, line) => `at index ${Number(line) - 1}`)
    .replace(/in the lines ([\d, and]+) have/, (_match, listed: string) => {
      return `at the indexes ${listed.replace(/\d+/g, (line) => String(Number(line) - 1))} have`;
    });
}

/** Everything that a merge reports and stores. */
async function merge(name: string, items: readonly unknown[] | RowStream, options: MergeOptions) {
  const { revision } = await tables.getTable(name);
  const isFile = 'open' in items;
  const merging = isFile
    ? tables.merge([{ entity: 'asset', name, items }], options)
    : tables.engine.execute(tables.view, [{ entity: 'asset', name, items }], options);
  const report = await merging.catch((error: unknown) => {
    if (error instanceof InvalidTablesError) return error;
    throw error;
  });
  const stored = await tables.readRows(name, revision);
  const revisions = (await tables.getTable(name)).revision - revision;
  if (report instanceof InvalidTablesError) {
    const { total, errors = [] } = report.details ?? {};
    return { message: report.message, total, errors: (errors as RowError[]).map(withoutLines), stored, revisions };
  }
  const { unresolved } = report.tables[0]!;
  const first = unresolved.first.map(withoutLines);
  return {
    totals: report.totals,
    unresolved: { ...unresolved, first },
    errors: (report.errors as RowError[]).map(withoutLines),
    stored,
    revisions,
  };
}

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const key = fc.constantFrom(...keys);
const parent = fc.oneof(
  { weight: 6, arbitrary: key },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant('missing') },
);
const validItem = fc.record(
  {
    key,
    name: fc.constantFrom('Pump', 'Fan'),
    weight: fc.constantFrom(1, 2.5, null),
    active: fc.constantFrom(true, false, null),
    parent,
    second_parent: parent,
    location: fc.constantFrom('L1', 'L2', 'L3', null),
  },
  { requiredKeys: ['key'] },
);
const invalidItem = fc.oneof(
  fc.constantFrom<unknown>(5, null, {}, { key: '' }, { key: {} }, { name: 'no key' }),
  fc.record({ key, name: fc.constant(null) }),
  fc.record({ key, name: fc.constant('x'.repeat(101)) }),
  fc.record({ key, weight: fc.constant('heavy'), unknown: fc.constant(1) }, { requiredKeys: ['key'] }),
  fc.record({ key, Weight: fc.constant(1), weight: fc.constant(2) }),
);
const distinct = fc.uniqueArray(validItem, { selector: (item) => item.key, maxLength: 8 });
const items: fc.Arbitrary<readonly unknown[]> = fc.oneof(
  distinct,
  distinct.map((batch) => batch.toSorted((a, b) => (a.key < b.key ? -1 : 1))),
  distinct.map((batch) => batch.map((item) => ({ name: 'Pump', ...item }))),
  fc.array(fc.oneof({ weight: 8, arbitrary: validItem }, { weight: 1, arbitrary: invalidItem }), { maxLength: 12 }),
);

const storedItem = fc.record({ key, name: fc.constantFrom<string>('Pump', 'Fan'), parent });
const example = {
  stored: [
    { key: 'a', name: 'Pump', parent: null },
    { key: 'b', name: 'Pump', parent: 'a' },
    { key: 'c', name: 'Pump', parent: null },
  ],
  // The parent of the rejected row a is unchanged; c is created again; d is unresolved.
  errors: [
    { key: 'a', parent: 'b' },
    { key: 'b', name: 'Fan' },
    { key: 'd', name: 'Fan', location: 'L3' },
    { key: 'c', name: 'Pump' },
    { key: 'e' },
    { key: 'f', name: null, Weight: 1, weight: 'heavy', unknown: 1 },
    { key: 'f', name: 'x'.repeat(101) },
    { key: 'g', Weight: 1, weight: 2 },
    { key: '' },
  ],
  valid: [{ key: 'a' }, { key: 'b', name: 'Fan', location: 'L1' }, { key: 'h', name: 'Fan', parent: 'missing' }],
};
const ABORT = { continueOnError: false, dryRun: false };

describe('the merge engine', () => {
  it('reports and stores the same for rows in memory and rows of a file', async () => {
    const codes = new Set<string>();
    const found = { created: 0, updated: 0, unchanged: 0, failed: 0, unresolved: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(storedItem, { selector: (item) => item.key, maxLength: 6 }),
        fc.subarray(keys, { maxLength: 2 }),
        items,
        fc.record({ continueOnError: fc.boolean(), dryRun: fc.boolean() }),
        async (stored, deleted, batch, options) => {
          await tables.reset('Array', stored, deleted);
          await tables.reset('Staging', stored, deleted);
          const expected = await merge('Array', batch, options);
          expect(await merge('Staging', toStream(batch), options)).toEqual(expected);
          if (options.dryRun) expect(expected.revisions).toBe(0);
          for (const error of expected.errors) codes.add(error.code);
          if (!expected.totals) return;
          for (const count of ['created', 'updated', 'unchanged', 'failed'] as const)
            found[count] += expected.totals[count];
          found.unresolved += expected.unresolved.total;
        },
      ),
      {
        numRuns: PROPERTY_CASES,
        examples: [
          [example.stored, ['c'], example.errors, ABORT],
          [example.stored, ['c'], example.errors, { ...ABORT, continueOnError: true }],
          [example.stored, ['c'], example.valid, ABORT],
        ],
      },
    );
    // Every error that a row in memory can have was compared, and every result.
    expect([...codes].sort()).toEqual([
      'ambiguous_column',
      'duplicate_in_batch',
      'hierarchy_cycle',
      'required',
      'required_key',
      'row_too_large',
      'type_mismatch',
      'unknown_column',
    ]);
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
  });

  it('changes nothing if the same rows are merged again', async () => {
    await fc.assert(
      fc.asyncProperty(distinct, fc.boolean(), async (batch, isFile) => {
        const name = isFile ? 'Staging' : 'Array';
        await tables.reset(name, [], []);
        const send = () => merge(name, isFile ? toStream(batch) : batch, { continueOnError: true });
        const { totals } = await send();
        const again = await send();
        expect(again).toMatchObject({ revisions: 0, totals: { created: 0, updated: 0, failed: totals!.failed } });
      }),
      { numRuns: PROPERTY_CASES },
    );
  });

  it('finds a cycle through thousands of stored rows, none of which leaves PostgreSQL', async () => {
    const LEVELS = 3_000;
    const row = (chain: string, level: number, parent: string | null) => ({
      key: `${chain}${level}`,
      name: 'Pump',
      parent,
    });
    const chain = (name: string) =>
      Array.from({ length: LEVELS }, (_, level) => row(name, level, level > 0 ? `${name}${level - 1}` : null));
    await tables.reset('Array', [...chain('p'), ...chain('q')], []);
    const received: number[] = [];
    const query = tables.database.query.bind(tables.database);
    const spy = jest.spyOn(tables.database, 'query').mockImplementation(async (...sent) => {
      const rows = await query(...sent);
      received.push(rows.length);
      return rows;
    });
    const last = LEVELS - 1;
    const items = [row('p', 0, `q${last}`), row('q', 0, `p${last}`), row('new', 1, `p${last}`)];
    const { errors, stored } = await merge('Array', items, { continueOnError: true }).finally(() => spy.mockRestore());
    expect(errors.map(({ index, code, column }) => [index, code, column])).toEqual([
      [0, 'hierarchy_cycle', 'parent'],
      [1, 'hierarchy_cycle', 'parent'],
    ]);
    expect(stored).toHaveLength(2 * LEVELS + 1);
    // Only the test has read the rows.
    expect(received.filter((rows) => rows > 10)).toEqual([stored.length]);
  }, 30_000);

  it('rejects a row by each parent column that would create a cycle', async () => {
    const cyclic = [
      { key: 'a', name: 'A', parent: 'b', second_parent: 'b' },
      { key: 'b', name: 'B', parent: 'a', second_parent: 'a' },
    ];
    for (const name of ['Array', 'Staging']) {
      await tables.reset(name, [], []);
      const { errors } = await merge(name, name === 'Array' ? cyclic : toStream(cyclic), {});
      expect(errors.map((error) => [error.index, error.column])).toEqual([
        [0, 'parent'],
        [0, 'second_parent'],
        [1, 'parent'],
        [1, 'second_parent'],
      ]);
    }
  });

  describe('stores no cycle if a row retains its parent because it is rejected', () => {
    const columns: ColumnDefinition[] = [
      { name: 'Key', type: 'text' },
      { name: 'Parent', type: 'hierarchyParent' },
      { name: 'Weight', type: 'number', options: { maximum: 100 } },
    ];
    const stored = [
      { key: 'a', parent: 'b', weight: 1 },
      { key: 'b', parent: null, weight: 1 },
    ];
    const selectLight = (table: CatalogTable) =>
      `SELECT t.${physicalKeyName(table)} AS key FROM ${physicalTableName(table)} t
        WHERE t.${physicalColumnName(table.columns.find(({ key }) => key === 'weight')!)} < 50`;

    it.each<[string, number, boolean, string]>([
      ['by a constraint, in a request', 999, false, 'above_maximum'],
      ['by a constraint, in a file', 999, true, 'above_maximum'],
      ['by the scope of a replacement', 60, true, 'outside_scope'],
    ])('%s', async (kind, weight, isFile, code) => {
      const identity = { entity: 'asset' as const, name: `Cycle ${kind}` };
      await tables.engine.execute(tables.view, [{ ...identity, columns, items: stored }]);
      const { revision } = await tables.getTable(identity.name);
      const sent = [
        { key: 'a', parent: null, weight },
        { key: 'b', parent: 'a', weight: 1 },
      ];
      const limit = { value: 0, isPercentage: false };
      const replacement = code === 'outside_scope' ? { selectScope: selectLight, limit, revision } : undefined;
      const input = { ...identity, items: isFile ? toStream(sent) : sent, replacement };
      const { errors } = await tables.merge([input], { continueOnError: true });
      expect(errors).toMatchObject([
        { index: 0, key: 'a', code },
        { index: 1, key: 'b', code: 'hierarchy_cycle' },
      ]);
      expect(await tables.readRows(identity.name, revision)).toMatchObject([
        { c1: 'a', c2: 'b', revision: 0 },
        { c1: 'b', c2: null, revision: 0 },
      ]);
    });
  });

  it('finds no cycle through a row that it deletes', async () => {
    const rows = [
      { key: 'a', name: 'A', parent: null },
      { key: 'x', name: 'X', parent: 'a' },
    ];
    await tables.reset('Array', rows, []);
    const items = [{ key: 'a', parent: 'x' }];
    const report = await tables.merge([{ entity: 'asset', name: 'Array', items, deletions: ['x'] }]);
    expect(report.totals).toMatchObject({ updated: 1, deleted: 1 });
  });

  it('creates no table for a restricted caller whose table was dropped before the lock', async () => {
    const input = { entity: 'asset' as const, name: 'Lost', columns: COLUMNS.slice(0, 1), items: [{ key: 'a' }] };
    await tables.engine.execute(tables.view, [input]);
    const rule = { entity: 'assets' as const, table: '*', write: true };
    const view = { ...tables.view, policies: [{ id: 'policy', version: 1, rules: [rule] }] };
    let prepared: PreparedMerge | undefined = await tables.engine.prepare(view, [input]);
    await tables.database.query('DELETE FROM workspace_tables WHERE workspace_id = $1 AND name = $2', [
      tables.workspaceId,
      'Lost',
    ]);
    const merging = tables.engine.run({}, async () => {
      const next = prepared ?? (await tables.engine.prepare(view, [input]));
      prepared = undefined;
      return tables.engine.write(await tables.engine.lock(next));
    });
    await expect(merging).rejects.toBeInstanceOf(TableNotPermittedError);
    expect(await tables.catalog.findByName(tables.view, input)).toBeUndefined();
  });

  it('does not create a table again that was dropped after a file with columns named it by its ID', async () => {
    const columns: ColumnDefinition[] = [{ name: 'Key', type: 'text' }];
    const input = { entity: 'asset' as const, name: 'Dropped', columns, items: toStream([{ key: 'a' }]) };
    const options = { toMissingTableError };
    await expect(tables.merge([{ ...input, id: uuid() }], options)).rejects.toThrow('The table was not found');
    expect(await tables.catalog.findByName(tables.view, input)).toBeUndefined();
    expect(await tables.merge([input], options)).toMatchObject({ tables: [{ tableCreated: true, created: 1 }] });
  });

  it('deletes only rows that the access policies permit', async () => {
    const columns: ColumnDefinition[] = [
      { name: 'Key', type: 'text' },
      { name: 'Weight', type: 'number' },
    ];
    const rows = {
      entity: 'asset' as const,
      name: 'Partial',
      columns,
      items: [1, 2, 3].map((at) => ({ key: `k${at}`, weight: at })),
    };
    await tables.engine.execute(tables.view, [rows]);
    const rule = { entity: 'assets' as const, table: 'Partial', filter: { weight: { lt: '3' } }, write: true };
    const view = { ...tables.view, policies: [{ id: 'policy', version: 1, rules: [rule] }] };
    const input = { entity: 'asset' as const, name: 'Partial', items: [], deletions: ['k1', 'k3', 'k4'] };
    const report = await tables.engine.run({}, async () => {
      const prepared = await tables.engine.prepare(view, [input]);
      return tables.engine.write(await tables.engine.lock(prepared));
    });
    expect(report.totals.deleted).toBe(1);
    const stored = (await tables.readRows('Partial', 0)) as { c1: string; deleted: boolean }[];
    expect(stored.flatMap(({ c1, deleted }) => (deleted ? [] : [c1]))).toEqual(['k2', 'k3']);
  });

  it('ends each savepoint, also after rows were rejected', async () => {
    const columns: ColumnDefinition[] = [
      { name: 'Key', type: 'text' },
      { name: 'Code', type: 'text', options: { unique: true, pattern: '[a-z]' } },
    ];
    const items = ['a', 'a', 'b'].map((code, at) => ({ key: `k${at}`, code }));
    const input = { entity: 'asset' as const, name: 'Unique', columns, items };
    for (const name of ['attempt', 'pattern']) {
      const merging = tables.database.transaction(async () => {
        const { totals } = await tables.engine.execute(tables.view, [input], { continueOnError: true });
        expect(totals).toMatchObject({ created: 1, failed: 2 });
        await tables.database.query(`RELEASE SAVEPOINT ${name}`);
      });
      await expect(merging).rejects.toThrow(`savepoint "${name}" does not exist`);
    }
  });

  it('counts the rows of a load when it is committed', async () => {
    await tables.reset(
      'Array',
      [
        { key: 'a', name: 'Pump' },
        { key: 'b', name: 'Pump' },
      ],
      [],
    );
    const counted = jest.spyOn(LOG, 'countRows');
    const items = [{ key: 'a', name: 'Fan' }, { key: 'b', name: 'Pump' }, { key: 'c', name: 'Pump' }, { key: 'd' }];
    const origin = { source: 'restore' as const, userId: uuid() };
    const input = { entity: 'asset' as const, name: 'Array', items };
    await tables.engine.execute(tables.view, [input], { continueOnError: true, dryRun: true, origin });
    expect(counted).not.toHaveBeenCalled();
    await tables.engine.execute(tables.view, [input], { continueOnError: true, origin });
    expect(counted.mock.calls).toMatchObject([
      [[{ counts: { created: 1, updated: 1, deleted: 0 }, others: { unchanged: 1, failed: 1 } }]],
    ]);
  });

  it('lists every error of a row of a file that several checks reject', async () => {
    await tables.reset('Staging', [], []);
    const items = [
      { key: 'a', parent: 'b', second_parent: 'b', name: 'A' },
      { key: 'b', parent: 'a', second_parent: 'a', name: 'B' },
      { key: 'c' },
    ];
    const options = { continueOnError: true, dryRun: true };
    const inputs = [{ entity: 'asset' as const, name: 'Staging', items: toStream(items) }];
    const listed = await tables.engine.run(options, async () => {
      const { engine, view } = tables;
      const locked = await engine.lock(await engine.prepare(view, inputs, options));
      const report = await engine.write(locked);
      const rejections: RowError[] = [];
      for await (const page of (locked.tables[0]!.plan.source as StagingRowSource).readRejections())
        rejections.push(...page);
      expect(rejections).toHaveLength(report.summary.reduce((sum, { count }) => sum + count, 0));
      return rejections;
    });
    expect(listed.map(({ line, code, column }) => [line, code, column])).toEqual([
      [1, 'hierarchy_cycle', 'parent'],
      [1, 'hierarchy_cycle', 'second_parent'],
      [2, 'hierarchy_cycle', 'parent'],
      [2, 'hierarchy_cycle', 'second_parent'],
      [3, 'required', 'name'],
    ]);
  });
});
