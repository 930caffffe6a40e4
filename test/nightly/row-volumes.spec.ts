import { Readable } from 'node:stream';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { column, keyAt, Tables, text } from '../support/tables.js';

const MIB = 1024 * 1024;
const ROWS = 1_000_000;
const ROWS_PER_CHUNK = 1_000;

/** A CSV file of rows with five columns, created while it is sent. */
function* createFile(rows: number): Generator<string, void> {
  yield 'equnr,name,plant,weight,built\r\n';
  for (let first = 0; first < rows; first += ROWS_PER_CHUNK) {
    const lines = Array.from({ length: Math.min(ROWS_PER_CHUNK, rows - first) }, (_, index) => {
      const position = first + index;
      return `${keyAt(position)},Feed pump ${position},AT${position % 90},${position / 4},2024-01-${10 + (position % 20)}\r\n`;
    });
    yield lines.join('');
  }
}

(process.platform === 'linux' ? describe : describe.skip)('peak memory of tables (measured only on Linux)', () => {
  let database: TestDatabase;
  let service: TestService;
  let caller: Credentials;
  let tables: Tables;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    caller = await service.provision();
    tables = Tables.of(service, caller);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  /** Imports a new table and exports it. @returns the totals of the report and the lines of the exports */
  async function importAndExport(name: string, rows: number) {
    const columns = [text('EQUNR'), text('Name'), text('Plant'), column('Weight', 'number'), column('Built', 'date')];
    expect((await tables.bulk('assets', { name, columns, items: [] })).status).toBe(201);
    const path = `${service.baseUrl}${tables.path}/assets/${name}`;
    const headers = { 'X-API-Key': caller.apiKey };
    const response = await fetch(`${path}/items/import`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/csv' },
      body: Readable.toWeb(Readable.from(createFile(rows))) as ReadableStream,
      duplex: 'half',
    });
    const { data } = (await response.json()) as { data: { totals: unknown } };
    const lines: number[] = [];
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const exported = await fetch(`${path}/export`, { headers: { ...headers, Accept: accept } });
      let count = 0;
      for await (const chunk of exported.body!) for (const byte of chunk) if (byte === 10) count++;
      lines.push(count);
    }
    return { totals: data.totals, lines };
  }

  it(`grows by less than 100 MiB while ${ROWS} rows are imported and exported`, async () => {
    // Memory for code that is loaded and compiled at first is not counted.
    await importAndExport('Warmed', 20_000);
    const before = service.peakMemory()!;
    const { totals, lines } = await importAndExport('Equipment', ROWS);
    expect(totals).toMatchObject({ received: ROWS, created: ROWS, failed: 0 });
    expect(lines).toEqual([ROWS + 1, ROWS]);
    expect(service.peakMemory()! - before).toBeLessThan(100 * MIB);
  }, 300_000);
});
