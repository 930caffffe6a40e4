import { Api } from '../support/api.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database);
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

it('measures the disk space of the former rows of all workspaces, without a label per table', async () => {
  const sizes: number[] = [];
  for (const changes of [1, 30]) {
    const me = await service.provision();
    const tables = Tables.of(service, me);
    const create = (name: string) => ({ name, columns: [text('Key'), text('Name')], items: [{ key: 'a', name: '0' }] });
    await tables.bulk('assets', [create('Pumps'), create('Unchanged')]);
    for (let change = 1; change <= changes; change++)
      await tables.bulk('assets', { name: 'Pumps', items: [{ key: 'a', name: `${change} `.repeat(5_000) }] });
    for (const name of ['Pumps', 'Unchanged'])
      sizes.push((await tables.api.get(`${tables.path}/assets/${name}`)).body.data.history.bytes as number);
  }
  const readMetrics = async () => (await new Api(service.baseUrl).get('/metrics')).body as string;
  const metrics = await until(readMetrics, (body) => /^atrium_history_bytes \d/m.test(body));
  const samples = metrics.split('\n').filter((line) => line.startsWith('atrium_history'));
  expect(samples).toEqual([
    expect.stringMatching(/^atrium_history_bytes \d+$/),
    expect.stringMatching(/^atrium_history_largest_bytes \d+$/),
  ]);
  const [total, largest] = samples.map((line) => Number(line.split(' ')[1])) as [number, number];
  // PostgreSQL may have added maps of pages to each table since.
  const added = 100_000;
  expect(largest - Math.max(...sizes)).toBeGreaterThanOrEqual(0);
  expect(largest - Math.max(...sizes)).toBeLessThan(added);
  const sum = sizes.reduce((left, right) => left + right, 0);
  expect(total - sum).toBeGreaterThanOrEqual(0);
  expect(total - sum).toBeLessThan(sizes.length * added);
  expect(total - largest).toBeGreaterThan(0);
}, 60_000);
