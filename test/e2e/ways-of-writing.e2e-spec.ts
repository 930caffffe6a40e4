import { Api, type ApiResponse } from '../support/api.js';
import { lines, sendFile } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, type Item, Tables, text } from '../support/tables.js';

let service: SharedService;
let owner: TableAdministration;
let workspace: string;

beforeAll(async () => {
  ({ service } = await shareService());
  const me = await service.provision();
  owner = TableAdministration.for(Tables.of(service, me));
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

const COLUMNS = [
  text('Key'),
  text('Plant'),
  text('Serial'),
  column('Weight', 'number'),
  column('Parent', 'hierarchyParent'),
];

/** The row that each way writes. */
const KEY = 'a';

/** A table, and one of the ways to write its row. */
class Written {
  /** The batch that has created the row. */
  creation?: string;

  private constructor(
    readonly name: string,
    /** The caller who writes: an owner, or one with a policy. */
    public writer: TableAdministration,
  ) {}

  static async create(items: Item[] = []): Promise<Written> {
    return new Written(await owner.createTable('assets', COLUMNS, items), owner);
  }

  get path(): string {
    return owner.pathOf('assets', this.name);
  }

  /** Stores the row as an owner. @returns the batch */
  async store(item: Item, by = owner): Promise<string> {
    const { status, body } = await by.bulk('assets', { name: this.name, items: [{ key: KEY, ...item }] });
    expect([status, body.details]).toEqual([200, undefined]);
    return body.data.batchId as string;
  }

  /** Changes a row on its own, which needs no approval. */
  async change(key: string, item: Item): Promise<void> {
    const { status, body } = await owner.api.patch(`${this.path}/items/${key}`, item);
    expect([status, body.details]).toEqual([200, undefined]);
  }

  async edit(change: object): Promise<void> {
    const { status, body } = await owner.edit('assets', this.name, change);
    expect([status, body.details]).toEqual([200, undefined]);
  }

  /** From now on, a caller writes whose policy has the rule for the table. @returns changes the rule */
  async restrict(rule: object): Promise<(changed: object) => Promise<void>> {
    const toPolicy = (each: object) => ({
      name: this.name,
      scopes: ['read:workspaces', 'write:workspaces'],
      tables: [{ entity: 'assets', table: this.name, write: true, ...each }],
    });
    const { status, body } = await owner.api.post(`${workspace}/access-policies`, toPolicy(rule));
    expect([status, body.details]).toEqual([201, undefined]);
    const { id } = body.data as { id: string };
    const key = await owner.api.post(`${workspace}/api-keys`, { name: 'Key', policyId: id });
    const api = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
    this.writer = TableAdministration.for(new Tables(api, owner.workspaceId));
    return async (changed) => {
      const replaced = await owner.api.put(`${workspace}/access-policies/${id}`, toPolicy(changed));
      expect([replaced.status, replaced.body.details]).toEqual([200, undefined]);
    };
  }

  async rows(): Promise<Item[]> {
    return owner.rows('assets', this.name);
  }

  async row(): Promise<Item | undefined> {
    return (await this.rows()).find(({ key }) => key === KEY);
  }

  revision(): Promise<number> {
    return owner.revision('assets', this.name);
  }

  /** The data of the last event about changed rows of the table. */
  async lastEvent(): Promise<object | undefined> {
    const { body } = await owner.api.get(`${workspace}/events?after=0&limit=1000&types=table.rows_changed`);
    const events = body.data.events as { data: { table: { name: string } } }[];
    return events.findLast(({ data }) => data.table.name === this.name)?.data;
  }

  /** The IDs of the loads of the table that wait for approval. */
  async pending(): Promise<string[]> {
    const { body } = await owner.api.get(`${owner.path}/proposals?status=pending`);
    const proposals = body.data.items as { id: string; tables: { name: string }[] }[];
    return proposals.filter(({ tables }) => tables.some(({ name }) => name === this.name)).map(({ id }) => id);
  }
}

/** What is wrong with a write, and the code of its error. */
const CODES = {
  cycle: 'hierarchy_cycle',
  constraint: 'above_maximum',
  unique: 'not_unique',
  required: 'required',
  leaves: 'outside_policy',
  hidden: 'outside_policy',
  column: 'read_only',
  table: 'read_only',
};
type Violation = keyof typeof CODES;

interface Way {
  /**
   * Changes the stored row to the values `after`.
   *
   * @param before the values that are stored, all columns.
   * @param obstruct is called before the write itself, and after the requests that only prepare it.
   */
  write: (table: Written, before: Item, after: Item, obstruct: () => Promise<unknown>) => Promise<ApiResponse>;
  /** Is the write a batch? */
  isBatch?: true;
  /** Does it wait for approval if the table needs one? */
  isLoad?: true;
  /** Codes of errors that differ from those of other ways. */
  codes?: Partial<Record<Violation, string[]>>;
  /** Is a row missing that the policy of the caller hides? */
  isMissing?: true;
  /** Are violations of constraints stored, and listed in the report? */
  allowsViolations?: true;
}

/** A way whose request contains the row. */
const sent =
  (send: (table: Written, item: Item) => Promise<ApiResponse>): Way['write'] =>
  async (table, before, after, obstruct) => {
    await table.store(before);
    await obstruct();
    return send(table, { key: KEY, ...after });
  };

const importRow =
  (query: Record<string, string>) =>
  async ({ writer, name }: Written, item: Item) => {
    const others = query['mode'] === 'replace' ? (await writer.rows('assets', name)).filter(isOther) : [];
    return sendFile(writer, name, lines([...others, item]), { query });
  };

const isOther = ({ key }: Item) => key !== KEY;

const WAYS: Record<string, Way> = {
  'a bulk request': {
    write: sent(({ writer, name }, item) => writer.bulk('assets', { name, items: [item] })),
    isBatch: true,
    isLoad: true,
  },
  'an import': { write: sent(importRow({})), isBatch: true, isLoad: true },
  'an import as CSV': {
    write: sent(({ writer, name }, item) => {
      const values = Object.values(item).map((value) => (value === null ? '' : `"${value}"`));
      return sendFile(writer, name, `${Object.keys(item).join()}\n${values.join()}\n`, { type: 'text/csv' });
    }),
    isBatch: true,
    isLoad: true,
  },
  'a replacement': {
    write: sent(importRow({ mode: 'replace', maxDeletions: '0' })),
    isBatch: true,
    isLoad: true,
    // The file contains both rows of the cycle.
    codes: { cycle: ['hierarchy_cycle', 'hierarchy_cycle'] },
  },
  PUT: {
    write: sent(({ writer, path }, item) => writer.api.put(`${path}/items/${KEY}`, item)),
  },
  PATCH: {
    write: sent(({ writer, path }, item) => writer.api.patch(`${path}/items/${KEY}`, item)),
    codes: { hidden: ['not_found'] },
  },
  undo: {
    write: async (table, before, after, obstruct) => {
      await table.store(after);
      const batch = await table.store(before, table.writer);
      await obstruct();
      return table.writer.api.post(`${owner.path}/batches/${batch}/undo`, {});
    },
    isBatch: true,
    isLoad: true,
    codes: {
      leaves: ['batch_outside_policy'],
      hidden: ['batch_outside_policy'],
      column: ['batch_outside_policy'],
    },
    allowsViolations: true,
  },
  restore: {
    write: async (table, before, after, obstruct) => {
      await table.store(after);
      const asOf = String(await table.revision());
      await table.store(before);
      await obstruct();
      return table.writer.api.post(`${table.path}/restore`, { asOf, keys: [KEY] });
    },
    isMissing: true,
    isBatch: true,
    isLoad: true,
  },
  'an approved proposal': {
    write: async (table, before, after, obstruct) => {
      await table.store(before);
      await table.edit({ options: { approval: { required: true } } });
      // An owner approves the changes of a caller with a policy, who must be permitted to propose them.
      const isRestricted = table.writer !== owner;
      if (isRestricted) await obstruct();
      const proposed = await table.writer.bulk('assets', { name: table.name, items: [{ key: KEY, ...after }] });
      if (proposed.status !== 202) return proposed;
      if (!isRestricted) await obstruct();
      return owner.api.post(`${owner.path}/proposals/${proposed.body.data.proposalId}/approve`, {});
    },
    isBatch: true,
    // Other columns than those that were compared.
    codes: { constraint: ['proposal_outdated'], required: ['proposal_outdated'] },
  },
};

const ALL = Object.entries(WAYS).map(([name, way]) => ({ name, ...way }));
const VALUES: Item = { plant: 'A', serial: 'S-1', weight: 1, parent: null };

/** The codes of the rows in error, or that of the request. */
function codesOf({ status, body }: ApiResponse): unknown[] {
  expect([status >= 400, body.message]).toEqual([true, expect.any(String)]);
  const errors = (body.details?.errors ?? []) as { code: string; key?: string }[];
  return errors.length > 0 ? errors.map(({ code }) => code) : [body.error];
}

/** Requires that the write is rejected and changes nothing. */
async function expectRejected(
  { write, codes = {} }: Way,
  table: Written,
  after: Item,
  violation: Violation,
  obstruct: () => Promise<unknown>,
): Promise<void> {
  let stored: unknown;
  const readState = async () => [await table.rows(), await table.revision()];
  const response = await write(table, VALUES, { ...VALUES, ...after }, async () => {
    await obstruct();
    stored = await readState();
  });
  expect(codesOf(response)).toEqual(codes[violation] ?? [CODES[violation]]);
  expect(await readState()).toEqual(stored);
}

/** Requires that the write stores the values and lists what they violate. */
async function expectViolation(
  { write }: Way,
  table: Written,
  after: Item,
  violation: Violation,
  obstruct: () => Promise<unknown>,
): Promise<void> {
  const values = { ...VALUES, ...after };
  const { status, body } = await write(table, VALUES, values, obstruct);
  expect([status, body.data.violations]).toMatchObject([
    200,
    { total: 1, first: [{ key: KEY, code: CODES[violation] }] },
  ]);
  expect(await table.row()).toEqual({ key: KEY, ...values });
}

describe.each(ALL)('$name', (way) => {
  it('stores the row, its former values, the next revision, and one event', async () => {
    const table = await Written.create();
    let revision = 0;
    const response = await way.write(table, VALUES, { ...VALUES, serial: 'S-2', weight: 2 }, async () => {
      revision = await table.revision();
    });
    expect([response.status, response.body.details]).toEqual([200, undefined]);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES, serial: 'S-2', weight: 2 });
    expect(await table.revision()).toBe(revision + 1);
    const history = await owner.api.get(`${table.path}/items/${KEY}/history`);
    expect(history.body.data.items[0]).toMatchObject({
      revision: revision + 1,
      columns: { serial: { from: 'S-1', to: 'S-2' }, weight: { from: 1, to: 2 } },
    });
    const changes = await owner.api.get(`${table.path}/changes?since=${revision}`);
    expect(changes.body.data.items).toMatchObject([{ key: KEY, deleted: false }]);
    expect(await table.lastEvent()).toMatchObject({
      fromRevision: revision,
      toRevision: revision + 1,
      counts: { created: 0, updated: 1, deleted: 0 },
    });
    if (!way.isBatch) return;
    await table.edit({ options: { approval: null } });
    const undone = await owner.api.post(`${owner.path}/batches/${response.body.data.batchId}/undo`, {});
    expect([undone.status, undone.body.details]).toEqual([200, undefined]);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });

  it('rejects a cycle of parents', async () => {
    const table = await Written.create([{ key: 'b', ...VALUES }]);
    await expectRejected(way, table, { parent: 'b' }, 'cycle', () => table.change('b', { parent: KEY }));
  });

  it('rejects a value that violates a constraint', async () => {
    const table = await Written.create();
    const limit = () => table.edit({ columns: [{ key: 'weight', options: { maximum: 100 } }] });
    if (way.allowsViolations) await expectViolation(way, table, { weight: 500 }, 'constraint', limit);
    else await expectRejected(way, table, { weight: 500 }, 'constraint', limit);
  });

  it('rejects a value that another row has', async () => {
    const table = await Written.create([{ key: 'b', ...VALUES, serial: 'S-0' }]);
    await table.edit({ columns: [{ key: 'serial', options: { unique: true } }] });
    const changeOther = () => table.change('b', { serial: 'S-2' });
    if (way.allowsViolations) await expectViolation(way, table, { serial: 'S-2' }, 'unique', changeOther);
    else await expectRejected(way, table, { serial: 'S-2' }, 'unique', changeOther);
  });

  it('rejects a row without a required value', async () => {
    const table = await Written.create();
    await expectRejected(way, table, { serial: null }, 'required', () =>
      table.edit({ columns: [{ key: 'serial', required: true }] }),
    );
  });

  it('rejects a row that leaves what the policy of the caller permits', async () => {
    const table = await Written.create();
    const change = await table.restrict({ filter: { plant: { in: ['A', 'B'] } } });
    await expectRejected(way, table, { plant: 'B' }, 'leaves', () => change({ filter: { plant: 'A' } }));
  });

  it('rejects a row that the policy of the caller does not permit, also if it would permit the values', async () => {
    const table = await Written.create();
    const change = await table.restrict({ filter: { weight: { lte: 2 } } });
    const hide = () => change({ filter: { plant: 'B' } });
    if (!way.isMissing) return expectRejected(way, table, { plant: 'B' }, 'hidden', hide);
    const { status, body } = await way.write(table, VALUES, { ...VALUES, serial: 'S-2' }, hide);
    expect([status, body.data.missingKeys]).toEqual([200, [KEY]]);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });

  it('rejects a column that the policy of the caller permits to read', async () => {
    const table = await Written.create();
    const change = await table.restrict({});
    await expectRejected(way, table, { weight: 2 }, 'column', () => change({ columns: { readOnly: ['weight'] } }));
  });

  it('rejects a table that the policy of the caller permits to read', async () => {
    const table = await Written.create();
    const change = await table.restrict({});
    await expectRejected(way, table, { weight: 2 }, 'table', () => change({ write: false }));
  });

  it('waits for approval if it is a load of a table that needs one', async () => {
    const table = await Written.create();
    const response = await way.write(table, VALUES, { ...VALUES, weight: 2 }, () =>
      table.edit({ options: { approval: { required: true } } }),
    );
    if (way.isLoad) {
      expect(response.status).toBe(202);
      expect(await table.pending()).toEqual([response.body.data.proposalId]);
      expect(await table.row()).toEqual({ key: KEY, ...VALUES });
    } else expect(await table.row()).toEqual({ key: KEY, ...VALUES, weight: 2 });
  });
});

interface Deletion {
  write: (table: Written) => Promise<ApiResponse>;
  isLoad?: true;
}

const DELETIONS: Record<string, Deletion> = {
  'a deletion of many rows': {
    write: ({ writer, path }) => writer.api.post(`${path}/items/delete`, { keys: [KEY] }),
    isLoad: true,
  },
  'a replacement by a file without the row': {
    write: async ({ writer, name }) => {
      const others = (await writer.rows('assets', name)).filter(isOther);
      return sendFile(writer, name, lines(others), { query: { mode: 'replace', maxDeletions: '1' } });
    },
    isLoad: true,
  },
  'the undo of its creation': {
    write: ({ writer, creation }) => writer.api.post(`${owner.path}/batches/${creation}/undo`, {}),
    isLoad: true,
  },
  'the restoration of an earlier moment': {
    write: ({ writer, path }) => writer.api.post(`${path}/restore`, { asOf: '1', keys: [KEY] }),
    isLoad: true,
  },
  DELETE: { write: ({ writer, path }) => writer.api.delete(`${path}/items/${KEY}`) },
};

describe.each(Object.entries(DELETIONS))('%s', (_, { write, isLoad }) => {
  /** A table with another row, and the row in a batch of its own. */
  async function create(): Promise<Written> {
    const table = await Written.create([{ key: 'b', ...VALUES, plant: 'B' }]);
    table.creation = await table.store(VALUES);
    return table;
  }

  it('removes the row, and stores its former values, the next revision, and one event', async () => {
    const table = await create();
    const revision = await table.revision();
    const response = await write(table);
    expect([response.status, response.body?.details]).toEqual([response.body ? 200 : 204, undefined]);
    expect(await table.row()).toBeUndefined();
    expect(await table.revision()).toBe(revision + 1);
    const history = await owner.api.get(`${table.path}/items/${KEY}/history`);
    expect(history.body.data.items[0]).toMatchObject({
      revision: revision + 1,
      columns: { serial: { from: 'S-1', to: null }, weight: { from: 1, to: null } },
    });
    const changes = await owner.api.get(`${table.path}/changes?since=${revision}`);
    expect(changes.body.data.items).toMatchObject([{ key: KEY, deleted: true }]);
    expect(await table.lastEvent()).toMatchObject({
      fromRevision: revision,
      toRevision: revision + 1,
      counts: { created: 0, updated: 0, deleted: 1 },
    });
    if (!isLoad) return;
    const undone = await owner.api.post(`${owner.path}/batches/${response.body.data.batchId}/undo`, {});
    expect([undone.status, undone.body.details]).toEqual([200, undefined]);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });

  it('leaves a row that the policy of the caller does not permit', async () => {
    const table = await create();
    await table.restrict({ filter: { plant: 'B' } });
    await write(table);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });

  it('rejects a table that the policy of the caller permits to read', async () => {
    const table = await create();
    await table.restrict({ write: false });
    expect(codesOf(await write(table))).toEqual(['read_only']);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });

  it('waits for approval if it is a load of a table that needs one', async () => {
    const table = await create();
    await table.edit({ options: { approval: { required: true } } });
    const response = await write(table);
    if (!isLoad) return expect(await table.row()).toBeUndefined();
    expect(response.status).toBe(202);
    expect(await table.pending()).toEqual([response.body.data.proposalId]);
    expect(await table.row()).toEqual({ key: KEY, ...VALUES });
  });
});

describe('a rename', () => {
  const rename = ({ writer, path }: Written, key = KEY, to = 'z') =>
    writer.api.post(`${path}/items/${key}/rename`, { key: to });

  async function expectUnchanged(table: Written, response: ApiResponse, stored: unknown, code: string): Promise<void> {
    expect(codesOf(response)).toEqual([code]);
    expect([await table.rows(), await table.revision()]).toEqual(stored);
  }

  /** A table with the row and another one below it. */
  const create = () =>
    Written.create([
      { key: KEY, ...VALUES },
      { key: 'b', ...VALUES, parent: KEY, serial: 'S-2' },
    ]);
  const readState = async (table: Written) => [await table.rows(), await table.revision()];

  it('stores both rows, their former values, the next revision, and one event', async () => {
    const table = await create();
    const revision = await table.revision();
    expect((await rename(table)).status).toBe(200);
    expect(await table.rows()).toEqual([
      { key: 'b', ...VALUES, parent: 'z', serial: 'S-2' },
      { key: 'z', ...VALUES },
    ]);
    expect(await table.revision()).toBe(revision + 1);
    const [renamed, below] = await Promise.all(
      ['z', 'b'].map((key) => owner.api.get(`${table.path}/items/${key}/history`)),
    );
    expect(renamed!.body.data.items[0]).toMatchObject({
      change: 'renamed',
      columns: { key: { from: KEY, to: 'z' } },
    });
    expect(below!.body.data.items[0]).toMatchObject({ columns: { parent: { from: KEY, to: 'z' } } });
    const past = await owner.api.get(`${table.path}/items?asOf=${revision}`);
    expect(past.body.data.items).toEqual([
      { key: KEY, ...VALUES },
      { key: 'b', ...VALUES, parent: KEY, serial: 'S-2' },
    ]);
    const changes = await owner.api.get(`${table.path}/changes?since=${revision}`);
    const listed = changes.body.data.items.map(({ key, deleted }: any) => `${key} ${deleted}`);
    expect(listed.toSorted()).toEqual(['a true', 'b false', 'z false']);
    expect(await table.lastEvent()).toMatchObject({
      fromRevision: revision,
      toRevision: revision + 1,
      renamed: { from: KEY, to: 'z' },
    });
  });

  it('rejects a cycle of parents', async () => {
    const table = await create();
    await table.change(KEY, { parent: 'z' });
    await expectUnchanged(table, await rename(table, 'b'), await readState(table), 'hierarchy_cycle');
  });

  it('rejects a key that violates a constraint', async () => {
    const table = await create();
    await table.edit({ columns: [{ key: 'key', options: { pattern: '^[abc]$' } }] });
    await expectUnchanged(table, await rename(table), await readState(table), 'pattern_mismatch');
  });

  it('rejects a key that another row has', async () => {
    const table = await create();
    await expectUnchanged(table, await rename(table, KEY, 'b'), await readState(table), 'key_taken');
  });

  it.each<[string, object, string]>([
    [
      'a row that leaves what the policy of the caller permits',
      { filter: { key: { in: [KEY, 'b'] } } },
      'outside_policy',
    ],
    ['a row that the policy of the caller does not permit', { filter: { plant: 'B' } }, 'not_found'],
    [
      'a row below which the policy of the caller hides rows',
      { filter: { key: { in: [KEY, 'z'] } } },
      'outside_policy',
    ],
    ['a key that the policy of the caller permits to read', { columns: { readOnly: ['key'] } }, 'read_only'],
    ['a parent that the policy of the caller permits to read', { columns: { readOnly: ['parent'] } }, 'read_only'],
    ['a table that the policy of the caller permits to read', { write: false }, 'read_only'],
  ])('rejects %s', async (_, rule, code) => {
    const table = await create();
    await table.restrict(rule);
    await expectUnchanged(table, await rename(table), await readState(table), code);
  });
});
