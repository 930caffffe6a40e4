import fc from 'fast-check';
import type { StoredRow } from '../catalog/rows.repository.js';
import { InvalidTablesError } from '../workspace-tables.errors.js';
import type { RowWrite } from './row-write-sql.js';
import { TableEngine } from './table-engine.fixture.spec.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';

interface Write {
  write: RowWrite;
  key: string;
  values: Record<string, unknown>;
  /** Does the caller require the stored revision? `other`: one that the row does not have. */
  accepts?: 'stored' | 'other';
}

/** What a single write reports. */
interface Outcome {
  item: StoredRow['item'] | null;
  created: boolean;
  unresolved: unknown[];
}

const EMPTY = { name: null, weight: null, parent: null, location: null };
const keys = ['a', 'b', 'c', 'd', 'e'];

let tables: TableEngine;

beforeAll(async () => {
  tables = await TableEngine.create();
  const columns = [
    { name: 'Key', type: 'text', primaryKey: true },
    { name: 'Name', type: 'text' },
    { name: 'Weight', type: 'number' },
    { name: 'Parent', type: 'hierarchyParent' },
    { name: 'Location', type: 'reference' },
  ] as const;
  await tables.engine.execute(tables.workspaceId, [
    { entity: 'location', name: 'Locations', columns: [{ name: 'Key', type: 'text' }], items: [{ key: 'L1' }] },
    { entity: 'asset', name: 'Direct', columns, items: [] },
    { entity: 'asset', name: 'Merged', columns, items: [] },
  ]);
});

afterAll(() => tables.close());

/** The row that a write sends: an upsert sends all columns. */
function toItem({ write, key, values }: Write): object {
  return write === 'update' ? { ...values, key } : { ...EMPTY, ...values, key };
}

/** Writes through MergeEngine under the conditions of the write. @returns undefined if it changes nothing. */
async function merge(name: string, request: Write, accepted?: number): Promise<Outcome | undefined> {
  const { write, key } = request;
  const table = await tables.getTable(name);
  const before = await tables.rows.find(table, key);
  if (write === 'create' ? before : !before && write !== 'upsert') return undefined;
  if (accepted !== undefined && before?.revision !== accepted) return undefined;
  if (write === 'delete') {
    await tables.deleteRows(table, [key], table.revision + 1);
    await tables.catalog.setRevision(table, table.revision + 1);
    return { item: null, created: false, unresolved: [] };
  }
  const input = { entity: 'asset', name, items: [toItem(request)] } as const;
  const report = await tables.engine.execute(tables.workspaceId, [input]).catch((error: unknown) => {
    if (error instanceof InvalidTablesError) return undefined;
    throw error;
  });
  if (!report || report.totals.created + report.totals.updated === 0) return undefined;
  const { item } = (await tables.rows.find(table, key))!;
  const unresolved = report.tables[0]!.unresolved.first.map(({ column, value }) => ({ column, value }));
  return { item, created: !before, unresolved };
}

async function writeDirectly(name: string, request: Write, accepted?: number): Promise<Outcome | undefined> {
  const table = await tables.getTable(name);
  const { write, key } = request;
  const written =
    write === 'delete'
      ? await tables.writer.delete(table, key, accepted)
      : await tables.writer.write(table, toItem(request), { write, accepted });
  if (!written) return undefined;
  const unresolved = written.unresolved.map(({ column, value }) => ({ column, value }));
  return { item: written.item, created: written.created, unresolved };
}

async function findAccepted(name: string, { key, accepts, write }: Write): Promise<number | undefined> {
  if (accepts === undefined || write === 'create' || write === 'upsert') return undefined;
  const stored = await tables.rows.find(await tables.getTable(name), key);
  return accepts === 'stored' ? stored?.revision : 1_000_000;
}

const stored = fc.uniqueArray(
  fc.record({ key: fc.constantFrom(...keys), name: fc.constantFrom('Pump', 'Fan'), weight: fc.constantFrom(1, null) }),
  { selector: ({ key }) => key },
);
const values = (withParent: boolean) =>
  fc.record(
    {
      name: fc.constantFrom('Pump', 'Fan', null, 7),
      weight: fc.constantFrom<unknown>(1, 2.5, null, 'heavy'),
      location: fc.constantFrom('L1', 'L2', null),
      ...(withParent ? { parent: fc.constantFrom(...keys, 'missing', null) } : {}),
    },
    { requiredKeys: [] },
  );
const write = (withParent: boolean): fc.Arbitrary<Write> =>
  fc.record({
    write: fc.constantFrom<RowWrite>('upsert', 'upsert', 'create', 'update', 'delete'),
    key: fc.constantFrom(...keys),
    values: values(withParent),
    accepts: fc.constantFrom(undefined, undefined, 'stored', 'other'),
  });

describe('RowWriter', () => {
  it('writes and reports what MergeEngine would, or nothing', async () => {
    const found = { written: 0, created: 0, unresolved: 0, equal: 0 };
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.subarray(keys),
        fc.array(write(true), { maxLength: 6 }),
        async (rows, dead, writes) => {
          for (const name of ['Direct', 'Merged']) await tables.reset(name, rows, dead);
          const revisions = {
            direct: (await tables.getTable('Direct')).revision,
            merged: (await tables.getTable('Merged')).revision,
          };
          for (const request of writes) {
            const accepted = await findAccepted('Direct', request);
            const expected = await merge('Merged', request, await findAccepted('Merged', request));
            const direct = await writeDirectly('Direct', request, accepted);
            if (direct) expect(direct).toEqual(expected);
            // What the writer leaves to the engine must have the same outcome there.
            else expect(await merge('Direct', request, accepted)).toEqual(expected);
            found.written += Number(direct !== undefined);
            found.created += Number(direct?.created ?? false);
            found.unresolved += direct?.unresolved.length ?? 0;
            found.equal += Number(expected === undefined);
          }
          expect(await tables.readRows('Direct', revisions.direct)).toEqual(
            await tables.readRows('Merged', revisions.merged),
          );
        },
      ),
      { numRuns: PROPERTY_CASES },
    );
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
  });

  it('stores for concurrent writes what MergeEngine stores for one after the other', async () => {
    const distinct = fc.uniqueArray(write(false), { selector: ({ key }) => key });
    const withoutRevision = (rows: unknown[]) =>
      (rows as { revision: number }[]).map(({ revision, ...row }) => ({ ...row, isNew: revision > 0 }));
    await fc.assert(
      fc.asyncProperty(stored, fc.subarray(keys), distinct, async (rows, dead, writes) => {
        for (const name of ['Direct', 'Merged']) await tables.reset(name, rows, dead);
        const [direct, merged] = [await tables.getTable('Direct'), await tables.getTable('Merged')];
        const accepted: (number | undefined)[] = [];
        for (const request of writes) accepted.push(await findAccepted('Direct', request));
        const expected: (Outcome | undefined)[] = [];
        for (const request of writes)
          expected.push(await merge('Merged', request, await findAccepted('Merged', request)));
        const outcomes = await Promise.all(writes.map((request, at) => writeDirectly('Direct', request, accepted[at])));
        for (const [at, request] of writes.entries()) outcomes[at] ??= await merge('Direct', request, accepted[at]);
        expect(outcomes).toEqual(expected);
        expect(withoutRevision(await tables.readRows('Direct', direct.revision))).toEqual(
          withoutRevision(await tables.readRows('Merged', merged.revision)),
        );
      }),
      { numRuns: PROPERTY_CASES },
    );
  });

  it.each<[RowWrite, string[]]>([
    ['upsert', ['new-1', 'equal-1', 'new-2', 'equal-2', 'new-3', 'new-4']],
    ['create', ['new-1', 'equal-1', 'new-2', 'equal-2', 'new-3', 'new-4']],
    ['update', ['old-1', 'new-1', 'old-2', 'equal-1', 'old-3', 'new-2', 'old-4']],
    ['delete', ['old-1', 'new-1', 'old-2', 'new-2', 'old-3']],
  ])('numbers only the rows that one statement writes: %s', async (kind, sent) => {
    const names = ['equal-1', 'equal-2', 'old-1', 'old-2', 'old-3', 'old-4'];
    const stored = names.map((key) => ({ ...EMPTY, key }));
    await tables.reset('Direct', stored, []);
    const table = await tables.getTable('Direct');
    const { revision } = table;
    const outcomes = await Promise.all(
      sent.map((key) => {
        if (kind === 'delete') return tables.writer.delete(table, key);
        const name = key.startsWith('equal') ? null : 'Pump';
        return tables.writer.write(table, { ...EMPTY, key, name }, { write: kind });
      }),
    );
    const revisions = outcomes.flatMap((written) => (written ? [written.revision - revision] : []));
    expect(revisions.sort((a, b) => a - b)).toEqual(revisions.map((_, at) => at + 1));
    expect(outcomes.map((written) => written !== undefined)).toEqual(
      sent.map((key) => (kind === 'update' || kind === 'delete' ? key.startsWith('old') : key.startsWith('new'))),
    );
    expect((await tables.getTable('Direct')).revision).toBe(revision + revisions.length);
  });

  it('writes rows of requests that have read the table separately by one statement', async () => {
    const key = (at: number) => `separate-${at}`;
    const rows = Array.from({ length: 6 }, (_, at) => ({ ...EMPTY, key: key(at) }));
    await tables.reset('Direct', rows, []);
    const written = await Promise.all(
      rows.map(async (row, at) => {
        const table = structuredClone(await tables.getTable('Direct'));
        return tables.writer.write(table, { key: row.key, name: `new ${at}` }, { write: 'update' });
      }),
    );
    expect(written.map((row) => row?.item)).toEqual(rows.map((row, at) => ({ ...row, name: `new ${at}` })));
  });
});
