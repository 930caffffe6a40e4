import fc from 'fast-check';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { StoredRow } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { PreconditionFailedError } from '../../../platform/http/conditional-requests.js';
import { SQLSTATE, sqlState } from '../../../../packages/sql/src/sql-state.js';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { InvalidTablesError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { LOG, TableEngine } from '../../../../packages/tables/src/writer/table-engine.fixture.spec.js';
import { TableTurns } from '../catalog/table-turns.js';
import { RowRequests } from './row-requests.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';

type Kind = 'upsert' | 'create' | 'update' | 'delete';

interface Write {
  write: Kind;
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

/** The parent of a row must exist. */
const BOUND_COLUMNS = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Parent', type: 'hierarchyParent', options: { mustExist: true } },
  { name: 'Name', type: 'text', options: { pattern: '[A-Z].*' } },
] as const;

const EMPTY = { name: null, weight: null, parent: null, location: null };
const keys = ['a', 'b', 'c', 'd', 'e'];

let tables: TableEngine;
let rowRequests: RowRequests;

beforeAll(async () => {
  tables = await TableEngine.create();
  const { database, catalog, writes, engine, rows } = tables;
  const turns = new TableTurns(database, catalog, { poolSize: 10, lockTimeoutMs: 20_000 });
  rowRequests = new RowRequests(database, writes, engine, rows, turns, tables.tables.permissions, LOG);
  const columns = [
    { name: 'Key', type: 'text', primaryKey: true },
    { name: 'Name', type: 'text' },
    { name: 'Weight', type: 'number' },
    { name: 'Parent', type: 'hierarchyParent' },
    { name: 'Location', type: 'reference' },
  ] as const;
  await tables.engine.execute(tables.view, [
    { entity: 'location', name: 'Locations', columns: [{ name: 'Key', type: 'text' }], items: [{ key: 'L1' }] },
    { entity: 'asset', name: 'Direct', columns, items: [] },
    { entity: 'asset', name: 'Merged', columns, items: [] },
    { entity: 'asset', name: 'Bound', columns: BOUND_COLUMNS, items: [] },
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
    await tables.writes.setRevision(table, table.revision + 1);
    return { item: null, created: false, unresolved: [] };
  }
  const input = { entity: 'asset', name, items: [toItem(request)] } as const;
  const report = await tables.engine.execute(tables.view, [input]).catch((error: unknown) => {
    if (error instanceof InvalidTablesError) return undefined;
    throw error;
  });
  if (!report || report.totals.created + report.totals.updated === 0) return undefined;
  const { item } = (await tables.rows.find(table, key))!;
  const unresolved = report.tables[0]!.unresolved.first.map(({ column, value }) => ({ column, value }));
  return { item, created: !before, unresolved };
}

/** Sends a request. @returns undefined if it changes nothing. */
async function send(name: string, request: Write, accepted?: number): Promise<Outcome | undefined> {
  return sendTo(await tables.getTable(name), request, accepted);
}

async function sendTo(table: CatalogTable, request: Write, accepted?: number): Promise<Outcome | undefined> {
  const { write, key } = request;
  const requireConditions = (stored: Pick<StoredRow, 'revision'> | undefined) => {
    const isMet = write === 'create' ? !stored : stored !== undefined || write === 'upsert';
    if (!isMet || (accepted !== undefined && stored?.revision !== accepted)) throw new PreconditionFailedError('No.');
  };
  const toSent = () => (write === 'delete' ? undefined : toItem(request));
  const changed = await rowRequests
    .execute(tables.view, table, { key, toItem: toSent, requireConditions })
    .catch((error: unknown) => {
      if (error instanceof DomainError) return undefined;
      throw error;
    });
  if (
    !changed ||
    changed.table.revision === table.revision ||
    (changed.row && changed.row.revision < changed.table.revision)
  )
    return undefined;
  const unresolved = changed.unresolved.map(({ column, value }) => ({ column, value }));
  return { item: changed.row?.item ?? null, created: changed.isNew, unresolved };
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
    write: fc.constantFrom<Kind>('upsert', 'upsert', 'create', 'update', 'delete'),
    key: fc.constantFrom(...keys),
    values: values(withParent),
    accepts: fc.constantFrom(undefined, undefined, 'stored', 'other'),
  });

/** A row that is created with a parent that does not exist, and a request without an effect. */
const EXAMPLE: Write[] = [
  { write: 'upsert', key: 'a', values: { parent: 'missing' } },
  { write: 'update', key: 'b', values: {} },
];

describe('RowRequests', () => {
  it('writes and reports what MergeEngine would', async () => {
    const found = { written: 0, created: 0, unresolved: 0, without: 0 };
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.subarray(keys),
        fc.array(write(true), { maxLength: 6 }),
        async (rows, dead, writes) => {
          for (const name of ['Direct', 'Merged']) await tables.reset(name, rows, dead);
          const [direct, merged] = [await tables.getTable('Direct'), await tables.getTable('Merged')];
          for (const request of writes) {
            const accepted = await findAccepted('Direct', request);
            const expected = await merge('Merged', request, await findAccepted('Merged', request));
            const outcome = await send('Direct', request, accepted);
            expect(outcome).toEqual(expected);
            found.written += Number(outcome !== undefined);
            found.created += Number(outcome?.created ?? false);
            found.unresolved += outcome?.unresolved.length ?? 0;
            found.without += Number(outcome === undefined);
          }
          expect(await tables.readRows('Direct', direct.revision)).toEqual(
            await tables.readRows('Merged', merged.revision),
          );
        },
      ),
      { numRuns: PROPERTY_CASES, examples: [[[], [], EXAMPLE]] },
    );
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
  });

  it('stores for concurrent requests what MergeEngine stores for one after the other', async () => {
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
        expect(await Promise.all(writes.map((request, at) => send('Direct', request, accepted[at])))).toEqual(expected);
        expect(withoutRevision(await tables.readRows('Direct', direct.revision))).toEqual(
          withoutRevision(await tables.readRows('Merged', merged.revision)),
        );
      }),
      { numRuns: PROPERTY_CASES },
    );
  });

  it('joins the requests that arrive during another one to one change set with one revision', async () => {
    await tables.reset(
      'Direct',
      [
        { ...EMPTY, key: 'old' },
        { ...EMPTY, key: 'equal' },
      ],
      [],
    );
    const table = await tables.getTable('Direct');
    const outcomes = await Promise.all([
      sendTo(table, { write: 'upsert', key: 'first', values: {} }),
      sendTo(table, { write: 'upsert', key: 'second', values: {} }),
      sendTo(table, { write: 'update', key: 'missing', values: {} }),
      sendTo(table, { write: 'upsert', key: 'equal', values: {} }),
      sendTo(table, { write: 'upsert', key: 'third', values: { weight: 'heavy' } }),
      sendTo(table, { write: 'update', key: 'old', values: { name: 'Pump' } }),
    ]);
    expect(outcomes.map((outcome) => outcome?.created)).toEqual([true, true, undefined, undefined, undefined, false]);
    expect((await tables.getTable('Direct')).revision).toBe(table.revision + 2);
  });

  it('writes requests that are invalid only together one after the other', async () => {
    await tables.reset(
      'Direct',
      ['a', 'b', 'c'].map((key) => ({ ...EMPTY, key })),
      [],
    );
    const table = await tables.getTable('Direct');
    const outcomes = await Promise.all([
      sendTo(table, { write: 'update', key: 'c', values: { name: 'Fan' } }),
      sendTo(table, { write: 'update', key: 'a', values: { parent: 'b' } }),
      sendTo(table, { write: 'update', key: 'b', values: { parent: 'a' } }),
      sendTo(table, { write: 'upsert', key: 'd', values: { name: 'Pump' } }),
    ]);
    expect(outcomes.map((outcome) => outcome?.item?.['parent'])).toEqual([null, 'b', undefined, null]);
  });

  /** Requests that arrive during another one. */
  const sendTogether = async (requests: readonly Write[]) => {
    const table = await tables.getTable('Bound');
    const toRequest = ({ write, key, values }: Write) => ({
      key,
      toItem: () => (write === 'delete' ? undefined : { ...values, key }),
      requireConditions: () => undefined,
    });
    const send = (request: Write) => rowRequests.execute(tables.view, table, toRequest(request));
    const [, ...results] = await Promise.allSettled(
      [{ write: 'update', key: 'other', values: {} } as const, ...requests].map(send),
    );
    const rows = await tables.rows.findAll(await tables.getTable('Bound'), ['a', 'b', 'c']);
    const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      statuses: results.map(({ status }) => status),
      codes: results.flatMap((result) => (result.status === 'rejected' ? [sqlState(result.reason)] : [])),
      keys: sorted.map(([key]) => key),
      names: sorted.map(([, { item }]) => item['name']),
    };
  };

  it('writes a row although another request deletes what it needs', async () => {
    await tables.reset('Bound', [{ key: 'a' }, { key: 'b' }], []);
    const { statuses, keys } = await sendTogether([
      { write: 'delete', key: 'a', values: {} },
      { write: 'update', key: 'b', values: { parent: 'a' } },
    ]);
    // One of the two orders: "b" first, then the deletion; or the deletion first, and "b" is invalid.
    expect(statuses[0]).toBe('fulfilled');
    expect(keys).toContain('b');
    expect(keys).not.toContain('a');
  });

  it('rejects a row that violates a constraint, and writes the others together', async () => {
    await tables.reset('Bound', [{ key: 'a' }], []);
    const { revision } = await tables.getTable('Bound');
    const { statuses, keys } = await sendTogether([
      { write: 'upsert', key: 'a', values: { name: 'Pump' } },
      { write: 'upsert', key: 'b', values: { name: 'lower case' } },
      { write: 'upsert', key: 'c', values: { name: 'Valve' } },
    ]);
    expect([statuses, keys]).toEqual([
      ['fulfilled', 'rejected', 'fulfilled'],
      ['a', 'c'],
    ]);
    // The first request, then "a" and "c" together.
    expect((await tables.getTable('Bound')).revision).toBe(revision + 2);
  });

  /** Another transaction has the lock of the table from the nth attempt to lock it until the end of the work. */
  const lockedFrom = async <T>(nth: number, work: () => Promise<T>): Promise<T> => {
    const { writes, database } = tables;
    const lockExisting = writes.lockExisting.bind(writes);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let other: Promise<void> | undefined;
    const lockElsewhere = (known: CatalogTable) =>
      new Promise<void>((locked) => {
        const hold = () =>
          database.transaction(async () => {
            await lockExisting(known);
            locked();
            await released;
          });
        other = database.outsideTransaction(hold);
      });
    let attempts = 0;
    const spy = jest.spyOn(writes, 'lockExisting').mockImplementation(async (known) => {
      if (++attempts === nth) await lockElsewhere(known);
      if (attempts >= nth) await database.query('SET LOCAL lock_timeout = 100');
      return lockExisting(known);
    });
    try {
      return await work();
    } finally {
      release();
      spy.mockRestore();
      await other;
    }
  };

  it.each([
    ['before they are executed', 1, ['rejected', 'rejected', 'rejected'], ['a']],
    ['while they are executed together', 2, ['rejected', 'rejected', 'rejected'], ['a']],
    ['while the valid ones are executed together', 3, ['rejected', 'rejected', 'rejected'], ['a']],
    ['while the invalid one is executed on its own', 4, ['fulfilled', 'rejected', 'fulfilled'], ['a', 'c']],
  ])('reports each request as it is stored if the lock is not free in time %s', async (_, nth, expected, stored) => {
    const requests: Write[] = [
      { write: 'upsert', key: 'a', values: { name: 'Pump' } },
      { write: 'upsert', key: 'b', values: { name: 'lower case' } },
      { write: 'upsert', key: 'c', values: { name: 'Valve' } },
    ];
    await tables.reset('Bound', [{ key: 'a', name: 'Former' }], []);
    const { statuses, keys, codes, names } = await lockedFrom(nth, () => sendTogether(requests));
    expect([statuses, keys]).toEqual([expected, stored]);
    expect(new Set(codes)).toEqual(new Set([SQLSTATE.lockNotAvailable]));
    expect(names[0]).toBe(expected[0] === 'fulfilled' ? 'Pump' : 'Former');
    // The queue accepts requests again, and each has its own error.
    const again = await sendTogether(requests);
    expect([again.statuses, again.codes, again.keys]).toEqual([
      ['fulfilled', 'rejected', 'fulfilled'],
      ['invalid_rows'],
      ['a', 'c'],
    ]);
  });

  it('executes requests for one row in the order of their arrival', async () => {
    await tables.reset('Direct', [], []);
    const names = ['Pump', 'Fan', 'Valve', 'Motor'];
    const table = await tables.getTable('Direct');
    await Promise.all(names.map((name) => sendTo(table, { write: 'upsert', key: 'a', values: { name } })));
    const { item } = (await tables.rows.find(table, 'a'))!;
    expect(item['name']).toBe('Motor');
  });
});
