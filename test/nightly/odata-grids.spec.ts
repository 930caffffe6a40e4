import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, request as sendRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, launchChromium } from '../support/browser.js';
import type { Credentials } from '../support/credentials.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { column, type Item, keyAt, manyRows, Tables, text } from '../support/tables.js';

/**
 * The grids of UI5, DevExtreme and Syncfusion read a table in a browser, by their default requests. DevExtreme and
 * Syncfusion are commercial, so no package.json names them: the suite installs all three into a temporary folder.
 */

const PACKAGES = ['@openui5/sap.ui.core@1.152.0', 'devextreme@26.1.5', '@syncfusion/ej2-data@34.2.8'];
const INSTALL_MS = 300_000;
const TIMEOUT_MS = 120_000;
const ROWS = 2_000;
const SET = 'assets_Pumps';

const folder = mkdtempSync(join(tmpdir(), 'atrium-grids-'));

/** @returns why the suite cannot run; undefined if it can */
function findObstacle(): string | undefined {
  if (!CHROMIUM) return 'no Chromium here; name one in CHROMIUM_PATH';
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--fetch-timeout=60000'];
  const { status } = spawnSync('npm', ['install', ...options, ...PACKAGES], { cwd: folder, timeout: INSTALL_MS });
  return status === 0 ? undefined : `npm cannot install ${PACKAGES.join(', ')}`;
}

const obstacle = findObstacle();
if (obstacle !== undefined) process.stderr.write(`The grids: skipped: ${obstacle}\n`);

const DAY_MS = 86_400_000;
const dayAt = (at: number) => new Date(Date.UTC(2024, 0, 1) + (at % 400) * DAY_MS).toISOString().slice(0, 10);

const sites: Item[] = manyRows(4, (at) => ({ key: `S-${at}`, name: `Site ${at}` }));
const pumps: Item[] = manyRows(ROWS, (at) => ({
  key: keyAt(at),
  name: at % 7 === 6 ? null : `${['Pump', 'fan', 'Böiler'][at % 3]!} ${at % 100}`,
  weight: at % 11 === 0 ? null : at / 4,
  installed: at % 5 === 0 ? null : dayAt(at),
  active: [true, false, null][at % 3]!,
  site: at % 10 === 9 ? null : `S-${at % 4}`,
}));

const MEDIA_TYPES: Record<string, string> = { '.js': 'text/javascript', '.json': 'application/json' };

/** What the page asks the feed for. */
interface SentRequest {
  method: string;
  url: string;
  status: number;
}

/** A server of an integrator: the page, the files of UI5, and the feed with a key that the page does not know. */
class GridServer {
  readonly sent: SentRequest[] = [];
  private readonly server: Server;

  constructor(service: SharedService, apiKey: string, grids: string) {
    const files: Record<string, string> = {
      '/': '<!doctype html><script src="/grids.js"></script><script src="/resources/sap-ui-core.js" data-sap-ui-async="true"></script>',
      '/grids.js': grids,
    };
    this.server = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (path.startsWith('/odata/')) {
        const headers = { ...request.headers, host: new URL(service.baseUrl).host, 'x-api-key': apiKey };
        const { method = 'GET', url = '' } = request;
        const forwarded = sendRequest(`${service.baseUrl}${url}`, { method, headers }, (answer) => {
          this.sent.push({ method, url: decodeURIComponent(url.replaceAll('+', ' ')), status: answer.statusCode! });
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        });
        request.pipe(forwarded);
        return;
      }
      const file = join(folder, 'node_modules/@openui5/sap.ui.core/src', path.replace('/resources/', '/'));
      const content = path in files ? Promise.resolve(files[path]) : readFile(file);
      content.then(
        (body) => response.setHeader('Content-Type', MEDIA_TYPES[extname(path)] ?? 'text/html').end(body),
        () => response.writeHead(404).end(),
      );
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A condition of the filter row of a grid. Its value is that of the cell editor: a date is midnight in the browser. */
interface Condition {
  name: string;
  operator: string;
  value: string | number | boolean | null;
  upper?: number | string;
}

/** Which conditions of a grid ignore letter case. */
type Folding = 'none' | 'parts' | 'all';

/** The rows that a condition means, by their keys. */
function findMatching({ name, operator, value, upper }: Condition, folding: Folding): string[] {
  const folds = folding === 'all' || (folding === 'parts' && operator !== 'eq' && operator !== 'ne');
  const fold = (each: unknown) => (folds && typeof each === 'string' ? each.toLowerCase() : each);
  const sent = fold(value) as string;
  const matches = (row: Item): boolean => {
    const cell = fold(row[name]) as string | null;
    // A condition on an empty cell is true only if it asks for emptiness or for another value.
    if (operator === 'eq') return cell === sent;
    if (operator === 'ne') return cell !== sent;
    if (cell === null) return false;
    if (operator === 'lt') return cell < sent;
    if (operator === 'le') return cell <= sent;
    if (operator === 'gt') return cell > sent;
    if (operator === 'ge') return cell >= sent;
    if (operator === 'between') return cell >= sent && cell <= (upper as unknown as string);
    // The feed ignores letter case in `contains`.
    if (operator === 'contains') return cell.toLowerCase().includes(sent.toLowerCase());
    if (operator === 'notContains') return !cell.toLowerCase().includes(sent.toLowerCase());
    if (operator === 'startsWith') return cell.startsWith(sent);
    if (operator === 'endsWith') return cell.endsWith(sent);
    throw new Error(`Unknown operator ${operator}`);
  };
  return pumps.filter(matches).map(({ key }) => String(key));
}

const COMPARISONS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];
const compareAll = (name: string, value: string | number): Condition[] =>
  COMPARISONS.map((operator) => ({ name, operator, value }));
const TEXTS: Condition[] = ['eq', 'ne', 'contains', 'notContains', 'startsWith', 'endsWith'].flatMap((operator) => [
  { name: 'name', operator, value: 'Pump 30' },
  { name: 'name', operator, value: 'pump 3' },
  { name: 'name', operator, value: 'Böiler 5' },
  { name: 'site', operator, value: 'S-1' },
]);
const BOTH: Condition[] = [
  ...TEXTS,
  ...compareAll('weight', 100.25),
  ...compareAll('installed', '2024-04-01'),
  { name: 'active', operator: 'eq', value: true },
  { name: 'active', operator: 'eq', value: false },
  { name: 'name', operator: 'eq', value: null },
  { name: 'weight', operator: 'ne', value: null },
];
const RANGES: Condition[] = [
  { name: 'weight', operator: 'between', value: 10, upper: 20.5 },
  { name: 'installed', operator: 'between', value: '2024-02-27', upper: '2024-04-01' },
];

/** How UI5 binds a list. */
interface ListOptions {
  /** The default of UI5 if it is absent. */
  groupId?: string;
  filters?: unknown[][];
  sort?: [name: string, isDescending: boolean][];
  /** Start and length of each read. */
  windows?: [number, number][];
}

/** The keys of rows, or why the grid has none. */
type Outcome = { keys: string[]; total: number } | { error: string };

const describeGrids = obstacle === undefined ? describe : describe.skip;

describeGrids('grids', () => {
  let service: SharedService;
  let me: Credentials;
  let server: GridServer;
  let browser: Browser;
  let page: Page;
  let setUrl: string;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    const tables = Tables.of(service, me);
    const named = [text('Key'), text('Name')];
    expect((await tables.bulk('locations', { name: 'Sites', columns: named, items: sites })).status).toBe(201);
    const columns = [
      ...named,
      column('Weight', 'number'),
      column('Installed', 'date'),
      column('Active', 'checkbox'),
      column('Site', 'reference', { options: { target: { entity: 'location', table: 'Sites' } } }),
    ];
    expect((await tables.bulk('assets', { name: 'Pumps', columns, items: pumps })).status).toBe(201);
    setUrl = `/odata/v4/${me.workspaceId}/${SET}`;
    server = new GridServer(service, me.apiKey, await bundleGrids());
    browser = await launchChromium();
    page = await (await browser.newContext({ timezoneId: 'Europe/Vienna' })).newPage();
    await page.goto(await server.start());
    await page.waitForFunction(() => (globalThis as any).sap?.ui?.require !== undefined);
  }, TIMEOUT_MS);

  beforeEach(() => {
    server.sent.length = 0;
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** No request of the page failed. */
  const expectAnswered = () => expect(server.sent.filter(({ status }) => status >= 400)).toEqual([]);

  const compare = (found: Outcome[], conditions: Condition[], folding: Folding) => {
    const wrong = conditions.flatMap((condition, at): object[] => {
      const keys = findMatching(condition, folding);
      const outcome = found[at]!;
      if ('error' in outcome) return [{ condition, ...outcome }];
      const isRight = outcome.keys.toSorted().join() === keys.join() && outcome.total === keys.length;
      return isRight ? [] : [{ condition, expected: keys.length, found: outcome.keys.length, total: outcome.total }];
    });
    expect({
      wrong,
      requests: wrong.length > 0 ? server.sent.map(({ url }) => url.slice(setUrl.length)) : [],
    }).toEqual({
      wrong: [],
      requests: [],
    });
  };

  describe('the ODataModel of UI5', () => {
    /** Binds a list in the page. @returns what it reads, window by window */
    const readList = (
      parameters: object,
      { groupId, filters = [], sort = [], windows = [[0, 20]] }: ListOptions = {},
    ): Promise<{ rows: Item[][]; length: number } | { error: string }> =>
      page.evaluate(
        async ({ serviceUrl, ...sent }) => {
          const load = (...names: string[]): Promise<any[]> =>
            new Promise((resolve, reject) =>
              (globalThis as any).sap.ui.require(names, (...found: any[]) => resolve(found), reject),
            );
          const [ODataModel, Filter, Sorter] = await load(
            'sap/ui/model/odata/v4/ODataModel',
            'sap/ui/model/Filter',
            'sap/ui/model/Sorter',
          );
          const model = new ODataModel({ serviceUrl, groupId: sent.groupId, operationMode: 'Server' });
          const toFilters = sent.filters.map(
            ([path, operator, value1, value2]) => new Filter({ path, operator, value1, value2 }),
          );
          const sorters = sent.sort.map(([path, isDescending]) => new Sorter(path, isDescending));
          const list = model.bindList(`/${sent.set}`, undefined, sorters, toFilters, {
            $count: true,
            ...sent.parameters,
          });
          try {
            const rows = [];
            for (const [start, length] of sent.windows)
              rows.push((await list.requestContexts(start, length)).map((context: any) => context.getObject()));
            return { rows, length: list.getLength() };
          } catch (error) {
            return { error: (error as Error).message };
          }
        },
        {
          serviceUrl: `/odata/v4/${me.workspaceId}/`,
          set: SET,
          parameters,
          groupId,
          filters: filters as [string, string, unknown, unknown][],
          sort,
          windows,
        },
      );

    const OPERATORS: Record<string, string> = {
      eq: 'EQ',
      ne: 'NE',
      lt: 'LT',
      le: 'LE',
      gt: 'GT',
      ge: 'GE',
      between: 'BT',
      contains: 'Contains',
      notContains: 'NotContains',
      startsWith: 'StartsWith',
      endsWith: 'EndsWith',
    };

    it('lists, grows, sorts and expands with the group "$direct"', async () => {
      const windows: [number, number][] = [
        [0, 100],
        [100, 100],
        [1_900, 100],
      ];
      // In ascending order, empty values are last.
      const sorted = pumps.toSorted((a, b) => Number(a['weight'] ?? Infinity) - Number(b['weight'] ?? Infinity));
      const listed = await readList({}, { groupId: '$direct', windows });
      expect(listed).toEqual({
        length: ROWS,
        rows: windows.map(([start, length]) =>
          pumps.slice(start, start + length).map((row) => expect.objectContaining(row)),
        ),
      });
      const light = await readList(
        { $select: 'key,weight' },
        { groupId: '$direct', sort: [['weight', false]], windows: [[0, 50]] },
      );
      expect(light).toMatchObject({ rows: [sorted.slice(0, 50).map(({ key, weight }) => ({ key, weight }))] });
      const expanded = await readList(
        { $select: 'key', $expand: { siteRow: { $select: 'name' } } },
        { groupId: '$direct' },
      );
      expect(expanded).toMatchObject({
        rows: [
          pumps.slice(0, 20).map(({ key, site }) => {
            const found = sites.find((each) => each['key'] === site);
            return { key, siteRow: found ? { name: found['name'] } : null };
          }),
        ],
      });
      expectAnswered();
    });

    it(
      'finds the right rows for all filters',
      async () => {
        const conditions = [...BOTH, ...RANGES];
        const found: Outcome[] = [];
        for (const { name, operator, value, upper } of conditions) {
          const filters = [[name, OPERATORS[operator]!, value, upper]];
          const outcome = await readList({}, { groupId: '$direct', filters, windows: [[0, ROWS]] });
          found.push(
            'error' in outcome
              ? outcome
              : { keys: outcome.rows[0]!.map(({ key }) => String(key)), total: outcome.length },
          );
        }
        compare(found, conditions, 'none');
        expectAnswered();
      },
      TIMEOUT_MS,
    );

    // ADR 0185. If this fails because batches are answered, change the record and the guide.
    it('has no rows by default, which is a batch, and names the group that works', async () => {
      expect(await readList({})).toEqual({ error: expect.stringContaining('$batch failed') });
      expect(server.sent.filter(({ method }) => method === 'POST')).toEqual([
        { method: 'POST', url: `/odata/v4/${me.workspaceId}/$batch`, status: 501 },
      ]);
    });
  });

  describe('the ODataStore of DevExtreme', () => {
    const OPERATORS: Record<string, string> = {
      eq: '=',
      ne: '<>',
      lt: '<',
      le: '<=',
      gt: '>',
      ge: '>=',
      contains: 'contains',
      notContains: 'notcontains',
      startsWith: 'startswith',
      endsWith: 'endswith',
    };

    /** Loads rows as a DataGrid does. */
    const load = (options: object): Promise<{ data: Item[]; total: number } | { error: string }> =>
      page.evaluate(
        async ({ url, loaded }) => {
          const { ODataStore } = (globalThis as any).grids;
          const store = new ODataStore({ url, version: 4, key: 'key', keyType: 'String' });
          // The date editor of a grid has a Date.
          const revive = (value: any): any =>
            Array.isArray(value)
              ? value.map(revive)
              : value?.date === undefined
                ? value
                : new Date(`${value.date}T00:00`);
          try {
            const loading = store.load({ ...loaded, filter: revive((loaded as any).filter), requireTotalCount: true });
            return await new Promise<any>((resolve, reject) => {
              const done = (data: Item[], { totalCount }: any) => resolve({ data, total: totalCount });
              loading.done(done).fail(reject);
            });
          } catch (error) {
            return { error: (error as Error).message };
          }
        },
        { url: setUrl, loaded: options },
      );

    it('pages, sorts and expands', async () => {
      const page3 = await load({ skip: 40, take: 20, sort: [{ selector: 'key', desc: true }], expand: ['siteRow'] });
      expect(page3).toMatchObject({
        total: ROWS,
        data: pumps
          .toReversed()
          .slice(40, 60)
          .map(({ key, site }) => ({ key, siteRow: sites.find((each) => each['key'] === site) ?? null })),
      });
      expectAnswered();
    });

    it(
      'finds the right rows for all filters of the filter row',
      async () => {
        const conditions = [...BOTH, ...RANGES];
        const found: Outcome[] = [];
        for (const { name, operator, value, upper } of conditions) {
          const toCell = (cell: unknown) => (name === 'installed' ? { date: cell } : cell);
          const filter =
            operator === 'between'
              ? [[name, '>=', toCell(value)], 'and', [name, '<=', toCell(upper)]]
              : [name, OPERATORS[operator], toCell(value)];
          const outcome = await load({ skip: 0, take: ROWS, filter });
          found.push(
            'error' in outcome ? outcome : { keys: outcome.data.map(({ key }) => String(key)), total: outcome.total },
          );
        }
        compare(found, conditions, 'parts');
        expectAnswered();
      },
      TIMEOUT_MS,
    );
  });

  describe('the ODataV4Adaptor of Syncfusion', () => {
    const OPERATORS: Record<string, string> = {
      eq: 'equal',
      ne: 'notequal',
      lt: 'lessthan',
      le: 'lessthanorequal',
      gt: 'greaterthan',
      ge: 'greaterthanorequal',
      contains: 'contains',
      notContains: 'doesnotcontain',
      startsWith: 'startswith',
      endsWith: 'endswith',
    };

    interface Sent {
      where?: [name: string, operator: string, value: unknown][];
      sort?: string;
      page: [number, number];
      expand?: string;
      /** The type of date columns of the Grid. */
      dateType?: 'date' | 'dateonly';
      /** `DataUtil.serverTimezoneOffset`, which is null by default. */
      offset?: number;
    }

    /** Reads rows as a Grid does: with their count. @param url as a Grid has it, with a slash at its end, too */
    const query = (sent: Sent, url = setUrl): Promise<{ data: Item[]; total: number } | { error: string }> =>
      page.evaluate(
        async ({ address, where = [], sort, page: [index, size], expand, dateType, offset = null }) => {
          const { DataManager, DataUtil, ODataV4Adaptor, Predicate, Query } = (globalThis as any).grids;
          DataUtil.serverTimezoneOffset = offset;
          const manager = new DataManager({ url: address, adaptor: new ODataV4Adaptor() });
          const built = new Query().page(index, size).requiresCount();
          // As `getDatePredicate` of the Grid, whose editor has a Date.
          const compareDate = (name: string, operator: string, date: string) => {
            if (dateType === 'dateonly') return new Predicate(name, operator, date, false);
            const start = new Date(`${date}T00:00`);
            const next = new Date(start);
            next.setDate(next.getDate() + 1);
            const compare = (kind: string, at: number) => new Predicate(name, kind, new Date(at), false);
            if (operator === 'equal') return compare('greaterthan', +start - 1).and(compare('lessthan', +next));
            if (operator === 'notequal')
              return compare('lessthanorequal', +start - 1).or(compare('greaterthanorequal', +next));
            const isAtEnd = operator === 'lessthanorequal' || operator === 'greaterthan';
            return compare(operator, isAtEnd ? +next - 1 : +start);
          };
          const predicates = where.map(([name, operator, value]) =>
            name === 'installed'
              ? compareDate(name, operator, value as string)
              : new Predicate(name, operator, value, true),
          );
          if (predicates.length > 0) built.where(Predicate.and(predicates));
          if (sort !== undefined) built.sortByDesc(sort);
          if (expand !== undefined) built.expand(expand);
          try {
            const { result, count } = await manager.executeQuery(built);
            return { data: result, total: count };
          } catch (error: any) {
            return { error: String(error?.error?.statusText ?? error?.[0]?.error?.message ?? error) };
          }
        },
        { address: url, ...sent },
      );

    it('pages, sorts and expands, also with a slash after the name of the set', async () => {
      for (const url of [setUrl, `${setUrl}/`])
        expect(await query({ page: [3, 12], sort: 'key', expand: 'siteRow' }, url)).toMatchObject({
          total: ROWS,
          data: pumps
            .toReversed()
            .slice(24, 36)
            .map(({ key, site }) => ({ key, siteRow: sites.find((each) => each['key'] === site) ?? null })),
        });
      expectAnswered();
    });

    const findAll = async (conditions: Condition[], options: Pick<Sent, 'dateType' | 'offset'>): Promise<Outcome[]> => {
      const found: Outcome[] = [];
      for (const { name, operator, value, upper } of conditions) {
        const where: [string, string, unknown][] =
          operator === 'between'
            ? [
                [name, 'greaterthanorequal', value],
                [name, 'lessthanorequal', upper],
              ]
            : [[name, OPERATORS[operator]!, value]];
        const outcome = await query({ where, page: [1, ROWS], ...options });
        found.push(
          'error' in outcome ? outcome : { keys: outcome.data.map(({ key }) => String(key)), total: outcome.total },
        );
      }
      return found;
    };

    it(
      'finds the right rows for all filters of the filter bar',
      async () => {
        const conditions = [...BOTH, ...RANGES];
        compare(await findAll(conditions, { dateType: 'dateonly' }), conditions, 'all');
        // "Not equal" of this type is two ranges, without the rows that have no date.
        const dates = conditions.filter(({ name, operator }) => name === 'installed' && operator !== 'ne');
        compare(await findAll(dates, { dateType: 'date', offset: 0 }), dates, 'all');
        expectAnswered();
      },
      TIMEOUT_MS,
    );

    it('has an error instead of the rows of another day for dates in the timezone of the browser', async () => {
      for (const operator of ['equal', 'lessthan', 'greaterthanorequal', 'lessthanorequal'])
        expect(
          await query({ where: [['installed', operator, '2024-04-01']], page: [1, 20], dateType: 'date' }),
        ).toEqual({
          error: expect.any(String),
        });
      expect(server.sent.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    });
  });
});

/** DevExtreme and Syncfusion as a bundler includes them in a page. */
async function bundleGrids(): Promise<string> {
  const entry = join(folder, 'entry.js');
  writeFileSync(
    entry,
    "export { default as ODataStore } from 'devextreme/data/odata/store';\n" +
      "export { DataManager, DataUtil, ODataV4Adaptor, Predicate, Query } from '@syncfusion/ej2-data';\n",
  );
  const file = join(folder, 'grids.js');
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  const options = ['--platform=browser', '--format=iife', '--name=grids', `--file=${file}`];
  const { status, stderr } = spawnSync(process.execPath, [rolldown, entry, ...options], { cwd: folder });
  if (status !== 0) throw new Error(String(stderr));
  return readFile(file, 'utf8');
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));
