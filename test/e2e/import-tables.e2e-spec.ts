import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Api } from '../support/api.js';
import { importRecord, lines, NDJSON } from '../support/imports.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

let service: SharedService;
let tables: Tables;

beforeAll(async () => {
  ({ service } = await shareService());
  tables = Tables.of(service, await service.provision());
}, 60_000);

interface Part {
  name: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

const BOUNDARY = 'boundary-of-the-form';

function toForm(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, body, headers = { 'Content-Type': NDJSON } }) => {
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n${lines.join('')}\r\n`;
    return [Buffer.from(head), Buffer.from(body), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

const send = (
  parts: readonly Part[],
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
  api = tables.api,
) =>
  api.send(`${tables.path}/import?${new URLSearchParams(query).toString()}`, {
    method: 'POST',
    body: toForm(parts),
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  });

const LOCATIONS = [text('Key'), text('Name'), column('Parent', 'hierarchyParent')];
const equipment = (locations: string) => [
  text('Key'),
  column('Weight', 'number'),
  column('Location', 'reference', { options: { target: { entity: 'location', table: locations } } }),
];

/** The parts of two tables that do not exist, the referring one first. */
function newTables() {
  const [locations, assets] = [unique('Functional Locations'), unique('Equipment')];
  const columns: Part = {
    name: 'columns',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      [`locations/${locations}`]: LOCATIONS,
      [`assets/${assets}`]: equipment(locations),
    }),
  };
  const parts: Part[] = [
    columns,
    {
      name: `assets/${assets}`,
      headers: { 'Content-Type': 'text/csv' },
      body: 'key,weight,location\n1,2.5,A-1\n2,,A\n',
    },
    {
      name: `locations/${locations}`,
      body: lines([
        { key: 'A-1', parent: 'A' },
        { key: 'A', name: 'Works' },
      ]),
    },
  ];
  return { locations, assets, parts };
}

describe('POST …/cw/import', () => {
  it('creates and fills several tables in one transaction, in any order', async () => {
    const { locations, assets, parts } = newTables();
    const answer = await send(parts);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      totals: { received: 4, created: 4, failed: 0 },
      tables: [
        {
          type: 'asset',
          name: assets,
          tableCreated: true,
          columnsAdded: ['key', 'weight', 'location'],
          created: 2,
          revision: 1,
          unresolved: { total: 0 },
        },
        { type: 'location', name: locations, tableCreated: true, created: 2, unresolved: { total: 0 } },
      ],
    });
    expect(await tables.rows('assets', assets)).toEqual([
      { key: '1', weight: 2.5, location: 'A-1' },
      { key: '2', weight: null, location: 'A' },
    ]);
    const { importId, batchId } = answer.body.data;
    expect(await importRecord(tables, importId)).toMatchObject({
      status: 'succeeded',
      table: null,
      tableId: null,
      rowsRead: 4,
      rowsWritten: 4,
      report: { batchId, tables: [{ name: assets }, { name: locations }] },
    });
    const again = await send(parts.slice(1));
    expect(again).toMatchObject({ status: 200, body: { data: { totals: { unchanged: 4 } } } });
    const undone = await tables.api.post(`${tables.path}/batches/${batchId}/undo`);
    expect(undone.body.data.tables.map(({ counts }: any) => counts.deleted)).toEqual([2, 2]);
    expect(await tables.rows('locations', locations)).toEqual([]);
  });

  it('reports the created tables before their rows, as a bulk request does', async () => {
    const { locations, assets, parts } = newTables();
    expect((await send(parts)).status).toBe(201);
    const workspace = tables.path.replace(/\/cw$/, '');
    const events = await until(async () => {
      const { body } = await tables.api.get(`${workspace}/events?limit=500`);
      const own = body.data.events.filter(({ data }: any) => [locations, assets].includes(data.table?.name));
      return own.length < 4 ? undefined : own.map(({ type, data }: any) => `${type} ${data.table.name}`);
    });
    expect(events).toEqual(
      [assets, locations].flatMap((name) => [`table.created ${name}`, `table.rows_changed ${name}`]),
    );
  });

  it('creates no table for a caller whose access policy permits all tables', async () => {
    const { locations, assets, parts } = newTables();
    const workspace = tables.path.replace(/\/cw$/, '');
    const rules = ['assets', 'locations'].map((entity) => ({ entity, table: '*', write: true }));
    const policy = await tables.api.post(`${workspace}/access-policies`, { name: unique('Policy'), tables: rules });
    const key = await tables.api.post(`${workspace}/api-keys`, { name: 'Key', policyId: policy.body.data.id });
    const restricted = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
    expect(await send(parts, {}, {}, restricted)).toMatchObject({
      status: 403,
      body: { error: 'table_not_permitted' },
    });
    expect((await tables.read('locations', locations)).status).toBe(404);
    expect((await tables.read('assets', assets)).status).toBe(404);
  });

  it('creates no table if the load waits for approval', async () => {
    const { assets, parts } = newTables();
    const checked = unique('Checked');
    const columns = [text('Key'), text('Name')];
    await tables.bulk('assets', { name: checked, columns, items: [{ key: 'A', name: 'Works' }] });
    const options = { approval: { required: true } };
    expect((await tables.api.put(`${tables.path}/assets/${checked}`, { options })).status).toBe(200);
    const changed: Part = { name: `assets/${checked}`, body: lines([{ key: 'A', name: 'New' }]) };
    expect(await send([...parts, changed])).toMatchObject({ status: 409, body: { error: 'columns_not_approved' } });
    expect((await tables.read('assets', assets)).status).toBe(404);
    expect(await tables.rows('assets', checked)).toEqual([{ key: 'A', name: 'Works' }]);
  });

  it('stores nothing in any table if a row of one is invalid, and lists all errors', async () => {
    const { locations, assets, parts } = newTables();
    const bad: Part = {
      name: `locations/${locations}`,
      body: lines([{ key: 'A', colour: 'red' }, { key: 'B', parent: 'B' }, { key: 'C' }, { key: 'C' }]),
    };
    const answer = await send([...parts.slice(0, 2), bad]);
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_rows' } });
    expect(answer.body.details.errors.map(({ type, table, line, code }: any) => [type, table, line, code])).toEqual([
      ['location', locations, 1, 'unknown_column'],
      ['location', locations, 2, 'hierarchy_cycle'],
      ['location', locations, 3, 'duplicate_in_batch'],
      ['location', locations, 4, 'duplicate_in_batch'],
    ]);
    expect((await tables.read('locations', locations)).status).toBe(404);
    expect((await tables.read('assets', assets)).status).toBe(404);
    const kept = await send([...parts.slice(0, 2), bad], { onError: 'continue' });
    expect(kept.status).toBe(207);
    const { importId } = kept.body.data;
    const log = await tables.api.get(`${tables.path}/imports/${importId}/errors`);
    expect(
      log.body
        .trimEnd()
        .split('\n')
        .map((line: string) => JSON.parse(line).sent),
    ).toEqual(bad.body.toString().trimEnd().split('\n'));
    expect(await tables.rows('assets', assets)).toHaveLength(2);
  });

  it('applies the parameters to all parts: dry runs, replacements and compressed parts', async () => {
    const { locations, assets, parts } = newTables();
    expect(await send(parts, { dryRun: 'true' })).toMatchObject({
      status: 200,
      body: { data: { totals: { created: 4 } } },
    });
    expect((await tables.read('assets', assets)).status).toBe(404);
    expect((await send(parts)).status).toBe(201);
    const compressed = gzipSync(lines([{ key: 'A', name: 'New' }]));
    const replacement: Part[] = [
      {
        name: `locations/${locations.toUpperCase()}`,
        headers: { 'Content-Type': NDJSON, 'Content-Encoding': 'gzip' },
        body: compressed,
      },
      { name: `assets/${assets}`, body: lines([{ key: '2', weight: 1 }]) },
    ];
    expect(await send(replacement, { mode: 'replace' })).toMatchObject({
      status: 409,
      body: { error: 'too_many_deletions' },
    });
    const answer = await send(replacement, { mode: 'replace', maxDeletions: '50%' });
    expect(answer.body.data.totals).toMatchObject({ updated: 2, deleted: 2 });
    expect(await tables.rows('locations', locations)).toEqual([{ key: 'A', name: 'New', parent: null }]);
  });

  it('does not delete rows that others write while a form with replacements is received', async () => {
    const { locations, assets, parts } = newTables();
    expect((await send(parts)).status).toBe(201);
    const form = toForm([{ name: `locations/${locations}`, body: lines([{ key: 'A' }, { key: 'A-1', parent: 'A' }]) }]);
    let release: () => void = () => undefined;
    const written = new Promise<void>((resolve) => (release = resolve));
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(form.subarray(0, 100));
        await written;
        controller.enqueue(form.subarray(100));
        controller.close();
      },
    });
    const importId = randomUUID();
    const query = `mode=replace&maxDeletions=100%25&importId=${importId}`;
    const request = fetch(`${tables.api.baseUrl}${tables.path}/import?${query}`, {
      method: 'POST',
      headers: { ...tables.api.headers, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
      body,
      duplex: 'half',
    });
    await until(async () => (await importRecord(tables, importId))?.status === 'receiving');
    const path = `${tables.path}/locations/${encodeURIComponent(locations)}/items/LATER`;
    expect((await tables.api.put(path, { name: 'Written by others' })).status).toBe(201);
    release();
    const { data } = (await (await request).json()) as any;
    expect(data.totals).toMatchObject({ unchanged: 2, updated: 0, deleted: 0 });
    expect((await tables.rows('locations', locations)).map(({ key }) => key)).toEqual(['A', 'A-1', 'LATER']);
    expect(await tables.rows('assets', assets)).toHaveLength(2);
  });

  it('adds columns to tables that exist, and checks the rows with them', async () => {
    const name = unique('Widened');
    await tables.bulk('assets', { name, columns: [text('Key'), text('Name')], items: [{ key: 'A', name: 'Works' }] });
    const toParts = (columns: unknown[], body: string): Part[] => [
      {
        name: 'columns',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ [`assets/${name}`]: columns }),
      },
      { name: `assets/${name}`, headers: { 'Content-Type': 'text/csv' }, body },
    ];
    const added = [
      text('Key'),
      column('Weight', 'number', { options: { minimum: 0 } }),
      column('Parent', 'hierarchyParent'),
    ];
    const file = 'key,heavy,parent\nA,1,\nB,2,A\nC,-3,\nD,4,E\nE,,D\nF,x,\n';
    const query = { onError: 'continue', columns: 'heavy:weight' };
    const counts = { received: 6, created: 1, updated: 1, failed: 4 };
    const planned = await send(toParts(added, file), { ...query, dryRun: 'true' });
    expect(planned).toMatchObject({ status: 207, body: { data: { totals: counts } } });
    expect(await tables.rows('assets', name)).toEqual([{ key: 'A', name: 'Works' }]);
    const { status, body } = await send(toParts(added, file), query);
    expect({ status, body }).toMatchObject({
      status: 207,
      body: { data: { totals: counts, tables: [{ tableCreated: false, columnsAdded: ['weight', 'parent'] }] } },
    });
    expect(body.data.errors.map(({ line, code }: any) => [line, code])).toEqual([
      [4, 'below_minimum'],
      [5, 'hierarchy_cycle'],
      [6, 'hierarchy_cycle'],
      [7, 'type_mismatch'],
    ]);
    expect(await tables.rows('assets', name)).toEqual([
      { key: 'A', name: 'Works', weight: 1, parent: null },
      { key: 'B', name: null, weight: 2, parent: 'A' },
    ]);
    expect(await send(toParts([column('Weight', 'text')], 'key,weight\nA,1\n'))).toMatchObject({
      status: 409,
      body: { error: 'column_type_conflict' },
    });
  });

  it('returns the first response to a repetition with the same Idempotency-Key', async () => {
    const { assets, parts } = newTables();
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await send(parts, {}, key);
    const second = await send(parts, {}, key);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    expect(await tables.revision('assets', assets)).toBe(1);
  });

  it('reads parts whose headers are not UTF-8, such as a file name of an old client', async () => {
    const { locations, parts } = newTables();
    const columns = { ...parts[0]!, body: JSON.stringify({ [`locations/${locations}`]: LOCATIONS }) };
    const part: Part = {
      name: `locations/${locations}`,
      headers: { 'Content-Type': 'text/csv', 'Content-Description': 'Stra\u00DFe, Gr\u00F6\u00DFe' },
      body: 'key,name\nA,Works\n',
    };
    const answer = await tables.api.send(`${tables.path}/import`, {
      method: 'POST',
      body: Buffer.from(toForm([columns, part]).toString(), 'latin1'),
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    expect(answer.status).toBe(201);
    expect(await tables.rows('locations', locations)).toMatchObject([{ key: 'A', name: 'Works' }]);
  });

  it('rejects forms that it cannot assign to tables', async () => {
    const { locations, parts } = newTables();
    const [columns, , part] = parts as [Part, Part, Part];
    const rejected: [readonly Part[], number, string][] = [
      [[], 400, 'invalid_request'],
      [[columns], 400, 'invalid_request'],
      // The columns of a part that is absent, or named in another letter case.
      [[columns, part], 400, 'invalid_request'],
      [[{ ...part, name: 'locations' }], 400, 'invalid_request'],
      [[{ ...part, name: 'things/A' }], 400, 'invalid_request'],
      [[part], 422, 'unknown_table'],
      [
        [columns, part, { ...part, name: part.name.toUpperCase().replace('LOCATIONS/', 'locations/') }],
        422,
        'unknown_table',
      ],
      [[columns, part, part], 400, 'invalid_request'],
      [[columns, { ...part, headers: {} }], 415, 'unsupported_media_type'],
      [[{ ...columns, body: '[]' }, part], 400, 'invalid_request'],
      [
        [{ ...columns, body: JSON.stringify({ [part.name]: [{ name: 'Key', type: 'nope' }] }) }, part],
        400,
        'invalid_request',
      ],
      [
        [{ ...columns, body: JSON.stringify({ [part.name]: [column('Key', 'number')] }) }, part],
        422,
        'invalid_columns',
      ],
    ];
    for (const [form, status, error] of rejected) {
      const answer = await send(form);
      expect([answer.status, answer.body.error]).toEqual([status, error]);
    }
    expect((await tables.read('locations', locations)).status).toBe(404);
    const cut = toForm(parts).subarray(0, -8);
    const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
    expect((await tables.api.send(`${tables.path}/import`, { method: 'POST', body: cut, headers })).status).toBe(400);
    const json = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    expect((await tables.api.send(`${tables.path}/import`, json)).status).toBe(415);
  });
});
