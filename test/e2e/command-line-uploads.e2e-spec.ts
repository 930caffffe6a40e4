import { writeXlsx } from 'hucre/xlsx';
import { CommandLine } from '../support/command-line.js';
import { type Disturbance, DisturbedService } from '../support/disturbed-service.js';
import { shareService } from '../support/shared-services.js';

let atrium: CommandLine;
let proxy: DisturbedService;

const KEYS = Array.from({ length: 20_000 }, (_, index) => `K${String(index).padStart(5, '0')}`);
const FILE = ['code,weight', ...KEYS.map((key, index) => `${key},${index}`)].join('\n');
const STOPPING = { retryAfterS: 0 };
const DISTURBANCES: [string, Disturbance[]][] = [
  ['rejected twice with 503', [STOPPING, STOPPING]],
  ['interrupted', ['interrupted']],
  ['abandoned while the service processes it', ['abandoned']],
  ['received, but its response is lost', ['response lost']],
];

beforeAll(async () => {
  const { service } = await shareService();
  const caller = await service.provision();
  proxy = await DisturbedService.start(service, /\/(import|compare)\?/);
  atrium = new CommandLine(proxy, caller);
  atrium.write('load.csv', FILE);
  atrium.write('load.yaml', 'columns: [{ from: code }, { from: weight, type: number, map: { x: 0 } }]');
});

afterAll(async () => {
  await proxy.stop();
});

beforeEach(() => {
  proxy.received = 0;
  proxy.disturbances = [];
});

describe.each([
  ['a file', ['load.csv'], undefined],
  ['a mapped file', ['load.csv', '--mapping', 'load.yaml'], undefined],
  ['standard input', ['-'], FILE],
])('an upload of %s', (source, load, input) => {
  it.each(DISTURBANCES)('that is %s is sent again, and stored once', async (title, disturbances) => {
    const table = `${source} ${title}`;
    proxy.disturbances = [...disturbances];
    const { code, stdout } = await atrium.run(['import', ...load, '--table', table, '--create', '--json'], input);
    expect({ code, summary: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      summary: { received: KEYS.length, created: KEYS.length, rejected: 0, isStored: true },
    });
    expect(proxy.received).toBe(disturbances.length + 1);
    expect(await atrium.rowsOf(table)).toHaveLength(KEYS.length);
    const stored = await atrium.json<{ source: string }[]>('batches', table);
    expect(stored.filter((batch) => batch.source === 'import')).toHaveLength(1);
  });
});

it('a comparison is sent again, too', async () => {
  await atrium.fill('Compared', [{ code: KEYS[0]!, weight: 0 }]);
  proxy.disturbances = [STOPPING, 'interrupted'];
  const { code, stdout } = await atrium.run('diff load.csv Compared');
  expect([code, stdout]).toEqual([3, expect.stringContaining('19,999 to create')]);
});

it('a preview of a new table that the service has received is not sent again', async () => {
  proxy.disturbances = ['in flight'];
  const { code, stdout } = await atrium.run('diff load.csv Previewed --create');
  expect([code, stdout, proxy.received]).toEqual([3, expect.stringContaining('20,000 to create'), 1]);
});

it('a stored import of another sheet is not the result of --resume', async () => {
  await atrium.fill('Sheets', [{ code: 'K', weight: 0 }]);
  const sheets = ['First', 'Second'].map((name, weight) => {
    return {
      name,
      rows: [
        ['code', 'weight'],
        [name, weight],
      ],
    };
  });
  atrium.write('sheets.xlsx', Buffer.from(await writeXlsx({ sheets })));
  const load = ['import', 'sheets.xlsx', '--table', 'Sheets', '--sheet'];
  proxy.disturbances = ['response lost', { retryAfterS: 3_600 }];
  expect((await atrium.run([...load, 'First'])).code).toBe(1);
  expect(await atrium.json(...load, 'Second', '--resume')).toMatchObject({ created: 1 });
  expect((await atrium.rowsOf('Sheets')).map(({ code }) => code)).toEqual(['First', 'K', 'Second']);
});

it('if the service remains unavailable, the new table is dropped, and the message names how to continue', async () => {
  // So long that no client waits for it.
  proxy.disturbances = [{ retryAfterS: 3_600 }];
  const load = ['import', 'load.csv', '--table', 'Unavailable', '--create'];
  const { code, stderr } = await atrium.run(load);
  expect(code).toBe(1);
  expect(stderr).toContain('The table "Unavailable" was not created.');
  expect(stderr).toMatch(/stores all rows of the file or none; .* --resume to continue/);
  expect(stderr).toContain('503 instance_stopping');
  expect((await atrium.json('tables')).map(({ name }: any) => name)).not.toContain('Unavailable');
  expect(await atrium.json(...load, '--resume')).toMatchObject({ created: KEYS.length });
});
