import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AtriumClient } from '@atrium/client';
import { parse } from 'csv-parse/sync';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { freePort, ROOT, TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const EXAMPLE = join(ROOT, 'dist/examples/load.js');
const PLANT = join(ROOT, 'examples/plant');
const OURAIRPORTS = resolve(ROOT, process.env['OURAIRPORTS_DIR'] ?? '../shared/data/ourairports');

const run = promisify(execFile);

type Item = Record<string, string | number | boolean | null>;
type Row = Record<string, string>;

interface Report {
  tables: {
    name: string;
    rows: number;
    created: number;
    updated: number;
    unchanged: number;
    unresolved: { total: number; first: { column: string; value: string }[] };
  }[];
  totals: { rows: number; created: number; updated: number; unchanged: number; unresolved: number };
}

let database: Database;
let service: SharedService;
let credentials: Credentials;
let directory: string;
let credentialsFile: string;

beforeAll(async () => {
  ({ database, service } = await shareService());
  credentials = await service.provision();
  directory = mkdtempSync(join(tmpdir(), 'atrium-example-'));
  credentialsFile = join(directory, 'credentials.json');
  writeFileSync(credentialsFile, JSON.stringify({ baseUrl: service.baseUrl, ...credentials }));
}, 60_000);

afterAll(() => {
  if (directory) rmSync(directory, { recursive: true });
});

function runExample(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, [EXAMPLE, '--credentials', credentialsFile, ...args], { cwd: directory });
}

async function runForReport(...args: string[]): Promise<Report> {
  return JSON.parse((await runExample('--json', ...args)).stdout) as Report;
}

const countRows = ({ tables }: Report): Record<string, number> =>
  Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));

function readCsv(file: string): Row[] {
  return parse<Row>(readFileSync(file), { columns: true });
}

/** Reads every row of a table. @returns the rows by primary key. */
async function readRows(entity: string, table: string, key: string): Promise<Map<unknown, Item>> {
  const api = new Api(service.baseUrl).withKey(credentials.apiKey);
  const path = `/v2/api/workspaces/${credentials.workspaceId}/cw/${entity}/${encodeURIComponent(table)}/items?limit=5000`;
  const items = new Map<unknown, Item>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await api.get(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path);
    expect(status).toBe(200);
    for (const item of body.data.items as Item[]) items.set(item[key], item);
    cursor = (body.data.nextCursor as string | undefined) ?? null;
  }
  return items;
}

/** The keys of columns that are not the header in lower case. */
const KEYS: Record<string, string> = { PLTXT: 'name', EQART: 'object_type', TPLMA: 'parent' };

/**
 * Cells of the file that differ from the stored values. Numbers must have all their digits; empty cells must be null.
 */
function findLostCells(rows: Row[], items: Map<unknown, Item>, keyOf: (row: Row) => string | undefined): string[] {
  const lost: string[] = [];
  for (const row of rows) {
    const item = items.get(keyOf(row));
    for (const [header, cell] of Object.entries(row)) {
      const value = item?.[KEYS[header] ?? header.toLowerCase()];
      const text = typeof value === 'boolean' ? String(Number(value)) : value === null ? '' : String(value);
      if (text !== cell) lost.push(`${keyOf(row)} ${header}: ${cell} became ${text}`);
    }
  }
  return lost;
}

describe('npm run example', () => {
  it('pushes the plant without unresolved references, and a second run leaves every row unchanged', async () => {
    const first = await runForReport();
    expect(countRows(first)).toEqual({
      'Work Centers': 14,
      Priorities: 6,
      'Functional Locations': 312,
      Assets: 1_000,
    });
    expect(first.totals).toEqual({ rows: 1_332, created: 1_332, updated: 0, unchanged: 0, unresolved: 0 });

    const second = await runForReport();
    expect(second.totals).toEqual({ rows: 1_332, created: 0, updated: 0, unchanged: 1_332, unresolved: 0 });
  });

  it('stores the values of the plant with their digits, dates and empty cells', async () => {
    const locations = readCsv(join(PLANT, 'functional-locations.csv'));
    const items = await readRows('locations', 'Functional Locations', 'tplnr');
    expect(findLostCells(locations, items, (row) => row['TPLNR'])).toEqual([]);
    expect(items.get('AT10-UTL-CW-P01/A-010')).toMatchObject({ parent: 'AT10-UTL-CW-P01/A', gewrk: '00001010' });

    const equipment = await readRows('assets', 'Assets', 'equnr');
    expect(equipment.size).toBe(1_000);
    expect(equipment.get('000000000010004711')).toMatchObject({ inbdt: '1999-07-02', safety: false, parent: null });
  });

  it('signs out, so that it runs repeatedly with one session per user', async () => {
    const limited = await TestService.start(database, { MAX_SESSIONS_PER_USER: '1' });
    const callerFile = join(directory, 'limited.json');
    writeFileSync(callerFile, JSON.stringify({ ...(await limited.provision()), baseUrl: limited.baseUrl }));
    for (let times = 0; times < 2; times++) await runExample('--credentials', callerFile);
    await limited.stop();
  });

  it('signs out if it is interrupted after its access token has expired', async () => {
    const brief = await TestService.start(database, { ACCESS_TOKEN_TTL_S: '1' });
    const caller = await brief.provision();
    const interruption = new AbortController();
    const client = new AtriumClient({ ...caller, apiKey: undefined, baseUrl: brief.baseUrl });
    await client.get('/v1/api/workspaces');
    const countSessions = async () => {
      const query = 'SELECT count(*)::int AS count FROM sessions WHERE client_id = $1 AND revoked_at IS NULL';
      const [sessions] = await database.query<{ count: number }>(query, [caller.clientId]);
      return sessions!.count;
    };
    expect(await countSessions()).toBe(1);
    await sleep(1_200);
    interruption.abort();
    const upsert = client.assets('Interrupted').upsert([{ code: 'A' }], { signal: interruption.signal });
    await expect(upsert).rejects.toThrow('aborted');
    await client.signOut();
    expect(await countSessions()).toBe(0);
    await brief.stop();
  });

  it('waits for a short rate limit, and fails immediately if it is blocked for long', async () => {
    const strict = await TestService.start(database, { RATE_LIMIT_TOKEN: '1/5' });
    const callerFile = join(directory, 'caller.json');
    writeFileSync(callerFile, JSON.stringify({ ...(await strict.provision()), baseUrl: strict.baseUrl }));
    for (let times = 0; times < 2; times++) await runExample('--credentials', callerFile);
    await strict.stop();

    const blocking = await TestService.start(database, { RATE_LIMIT_TOKEN: '1/60/1800' });
    writeFileSync(callerFile, JSON.stringify({ ...(await blocking.provision()), baseUrl: blocking.baseUrl }));
    await runExample('--credentials', callerFile);
    await expect(runExample('--credentials', callerFile)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Too many requests; try again in 1[78]\d\d seconds/),
    });
    await blocking.stop();
  });

  it('prints created and unchanged rows, without a progress bar if there is no terminal', async () => {
    const { stdout, stderr } = await runExample();
    expect(stdout).toMatch(/rows +created +updated +unchanged +unresolved +rows\/s/);
    expect(stdout).toMatch(/Functional Locations +312 +0 +0 +312 +0 /);
    expect(stdout).toContain('rows per second');
    // eslint-disable-next-line no-control-regex -- control sequences of terminals
    expect(stdout + stderr).not.toMatch(/[\x1b\r]/);
  });

  it('fails with the message of the service if the credentials are rejected', async () => {
    const wrong = join(directory, 'wrong.json');
    writeFileSync(wrong, JSON.stringify({ ...credentials, baseUrl: service.baseUrl, clientSecret: 'wss_wrong' }));
    await expect(runExample('--credentials', wrong)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Client authentication failed'),
    });
  });

  it('prints the row and the column of every cell that the service rejects', async () => {
    const damaged = mkdtempSync(join(directory, 'damaged-'));
    const files: Record<string, string> = {
      'countries.csv': '"id","code","name","continent","wikipedia_link","keywords"\n1,"NA","Namibia","AF",,\n',
      'regions.csv':
        '"id","code","local_code","name","continent","iso_country","wikipedia_link","keywords"\n2,"NA-KH","KH","","AF","NA",,\n',
      'navaids.csv': '',
      'runways.csv': '',
      'airport-frequencies.csv': '',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(damaged, file), text);
    await expect(runExample('--ourairports', damaged)).rejects.toMatchObject({
      code: 1,
      // Rows 1 and 2 are the continent and the country.
      stderr: expect.stringMatching(/table Regions of the World, row 3 \(key NA-KH\), column name: required: /),
    });
  });

  it('advises to start the service if none is running or the credentials file is absent', async () => {
    const unreachable = join(directory, 'unreachable.json');
    writeFileSync(unreachable, JSON.stringify({ ...credentials, baseUrl: `http://127.0.0.1:${await freePort()}` }));
    const advice = { code: 1, stderr: expect.stringContaining('npm start') };
    await expect(runExample('--credentials', unreachable)).rejects.toMatchObject(advice);
    await expect(runExample('--credentials', join(directory, 'absent.json'))).rejects.toMatchObject(advice);
  });

  it('contains exactly the plant files that the generator writes', async () => {
    const copy = mkdtempSync(join(directory, 'plant-'));
    copyFileSync(join(PLANT, 'generate.mjs'), join(copy, 'generate.mjs'));
    await run(process.execPath, [join(copy, 'generate.mjs')]);
    const files = readdirSync(PLANT).filter((file) => file.endsWith('.csv'));
    expect(files).toHaveLength(4);
    for (const file of files) {
      expect(readFileSync(join(copy, file), 'utf8')).toBe(readFileSync(join(PLANT, file), 'utf8'));
    }
  });
});

const hasData = existsSync(join(OURAIRPORTS, 'runways.csv'));
const skipped = `skipped: no OurAirports data in ${OURAIRPORTS}; name its directory in OURAIRPORTS_DIR`;
if (!hasData) process.stderr.write(`npm run example -- --ourairports: ${skipped}\n`);

(hasData ? describe : describe.skip)(`npm run example -- --ourairports DIR${hasData ? '' : ` (${skipped})`}`, () => {
  it('loads every row, reports the references to airports, and a second run leaves every row unchanged', async () => {
    const first = await runForReport('--ourairports', OURAIRPORTS);
    const rows = countRows(first);
    const runways = readCsv(join(OURAIRPORTS, 'runways.csv'));
    expect(rows).toMatchObject({
      Navaids: readCsv(join(OURAIRPORTS, 'navaids.csv')).length,
      Runways: runways.length,
      'Airport Frequencies': readCsv(join(OURAIRPORTS, 'airport-frequencies.csv')).length,
    });
    expect(first.totals).toMatchObject({ created: first.totals.rows, updated: 0, unchanged: 0 });
    expect(first.tables.map(({ name, unresolved }) => [name, unresolved.total])).toEqual([
      ['Regions of the World', 0],
      ['Navaids', 0],
      ['Runways', rows['Runways']],
      ['Airport Frequencies', rows['Airport Frequencies']],
    ]);
    expect(first.tables[2]?.unresolved.first[0]).toEqual({
      column: 'airport_ident',
      value: runways[0]?.['airport_ident'],
    });

    const second = await runForReport('--ourairports', OURAIRPORTS, '--connections', '4', '--batch-size', '3000');
    expect(second.totals).toEqual({ ...first.totals, created: 0, unchanged: first.totals.rows });
  }, 120_000);

  it('stores every cell without loss', async () => {
    const files = [
      ['Navaids', 'navaids.csv'],
      ['Runways', 'runways.csv'],
      ['Airport Frequencies', 'airport-frequencies.csv'],
    ] as const;
    for (const [table, file] of files) {
      const rows = readCsv(join(OURAIRPORTS, file));
      const items = await readRows('assets', table, 'id');
      expect(items.size).toBe(rows.length);
      expect(findLostCells(rows, items, (row) => row['id'])).toEqual([]);
    }
  }, 120_000);

  it('distinguishes the continent NA from the country NA', async () => {
    const countries = readCsv(join(OURAIRPORTS, 'countries.csv'));
    const regions = readCsv(join(OURAIRPORTS, 'regions.csv'));
    const items = await readRows('locations', 'Regions of the World', 'code');
    expect(items.size).toBe(countries.length + regions.length + new Set(countries.map((row) => row['continent'])).size);
    expect(findLostCells([...countries, ...regions], items, (row) => row['code'])).toEqual([]);

    expect(items.get('continent:NA')).toMatchObject({ name: 'North America', kind: 'continent', parent: null });
    expect(items.get('NA')).toMatchObject({ name: 'Namibia', kind: 'country', parent: 'continent:AF' });
    expect(items.get('AD-02')).toMatchObject({ local_code: '02', kind: 'region', parent: 'AD' });
  });
});
