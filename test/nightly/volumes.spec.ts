import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64 } from '../support/files.js';
import { runRenderer } from '../support/renderer.js';
import { type RunningService, TestService } from '../support/service.js';
import { shareService } from '../support/shared-services.js';
import { column, type ColumnInput, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const STAGINGS = '/v1/api/virtual-stagings';
const EQUIPMENT: ColumnInput[] = [text('EQUNR', { primaryKey: true }), text('Name'), column('Weight', 'number')];

describe('a bulk request', () => {
  let tables: Tables;

  beforeAll(async () => {
    const { service } = await shareService();
    tables = Tables.of(service, await service.provision());
  });

  const reportOf = (answer: ApiResponse) => answer.body.data.tables[0];

  async function createTable(columns: ColumnInput[], items: unknown[]): Promise<string> {
    const name = unique('Table');
    expect((await tables.bulk('assets', { name, columns, items })).status).toBe(201);
    return name;
  }

  it('stores 9,000 rows of 8 fields, 72,000 values', async () => {
    const fields = manyRows(8, (position) => text(`F${position}`));
    const row = (position: number) =>
      Object.fromEntries(fields.map(({ name }, field) => [name.toLowerCase(), `${keyAt(position)}-${field}`]));
    const items = manyRows(9000, row);
    const name = await createTable(fields, items);
    expect(await tables.rows('assets', name)).toEqual(items);
    const shuffled = await tables.bulk('assets', { name, items: items.toReversed() });
    expect(reportOf(shuffled)).toMatchObject({ unchanged: 9000, revision: 1 });
  });

  it('stores 50,000 rows, and returns 413 with limit and actual value for more', async () => {
    const name = unique('Large');
    const items = manyRows(50_001, (position) => ({ equnr: keyAt(position), name: 'Pump', weight: position }));
    const over = await tables.bulk('assets', { name, columns: EQUIPMENT, items });
    expect(over.status).toBe(413);
    expect(over.body.details).toEqual({ limit: 50_000, actual: 50_001 });
    expect((await tables.read('assets', name)).status).toBe(404);
    const most = await tables.bulk('assets', { name, columns: EQUIPMENT, items: items.slice(0, 50_000) });
    expect(most.status).toBe(201);
    expect((await tables.read('assets', name, { limit: 1, count: 'exact' })).body.data.total).toBe(50_000);
  });
});

describe('virtual staging', () => {
  let services: RunningService[];
  let second: TestService;
  let me: Credentials;
  let api: Api;
  let tour: { id: string };

  beforeAll(async () => {
    const { database, service } = await shareService();
    // Instances of one deployment share the directory of the blobs.
    second = await TestService.start(database, { DATA_DIR: service.env['DATA_DIR']! });
    services = [service, second];
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    const project = await api.post('/v1/api/projects', { name: 'Show home' });
    tour = (await api.post('/v1/api/tours', { projectId: project.body.data.id, title: 'Ground floor' })).body.data;
  });

  afterAll(() => second?.stop());

  const createStaging = async (): Promise<string> =>
    (await api.post(STAGINGS, { tourId: tour.id, type: 'stage', files: [base64('picture.png')] })).body.data.id;

  it('renders each of 100 virtual stagings exactly once with 8 renderers on two instances', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => createStaging()));
    const renderers = Array.from({ length: 8 }, (_, at) =>
      runRenderer(new Api(services[at % 2]!.baseUrl).withKey(me.apiKey)),
    );
    const done = (await Promise.all(renderers)).flat();
    expect([...done].sort()).toEqual([...ids].sort());
    const { items } = (await api.get(`${STAGINGS}?tourId=${tour.id}&status=succeeded&limit=500`)).body.data;
    expect(items).toHaveLength(100);
    for (const { attempts, variations } of items) expect([attempts, variations.length]).toEqual([1, 1]);
  });
});
