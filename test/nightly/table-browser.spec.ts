import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { get } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, launchChromium, type PageActivity, recordActivity } from '../support/browser.js';
import { Home } from '../support/home.js';
import { findCovered, findLowContrast } from '../support/page-layout.js';
import { findInaccessible, TableBrowserPage } from '../support/table-browser.js';
import { until } from '../support/until.js';

interface Demo {
  workspaceId: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
}

const skipped = 'skipped: no Chromium here; name one in CHROMIUM_PATH';
if (!CHROMIUM) process.stderr.write(`The table browser: ${skipped}\n`);

/** A busy machine is slow; the timeouts allow for that. */
const BUSY_MS = 30_000;

/** The most bytes of the bundle, and of its compressed form. */
const MAX_BYTES = 150_000;
const MAX_COMPRESSED_BYTES = 50_000;

/** Each color scheme and each width; all combinations with `BROWSER_VARIANTS=all`. */
const VARIANTS = (
  [
    ['light', 1_300],
    ['dark', 390],
    ['dark', 1_300],
    ['light', 390],
  ] as const
).slice(0, process.env['BROWSER_VARIANTS'] === 'all' ? 4 : 2);

const MANY_ROWS = 120;

/** Two wrong cells, a text that would be HTML, a changed, a created and a lacking row. */
const FILE = [
  'EQUNR;Name;Weight in kg;Location',
  '10001001;"Pump; first";heavy;VIE-UTL-CW',
  '10001002;Cooling water pump 2;181;VIE-UTL-CW',
  ';Without a key;1;',
  '10001009;<img src=x onerror=alert(1)>;5;VIE',
].join('\n');

const readWorkbook = (name: string) => readFileSync(join(__dirname, '../fixtures/field-cases', name));

/** What a console reports for a response that the test provokes. */
const isExpected = (text: string) => /^Failed to load resource: .* status of (400|401|404|409|412|422)/.test(text);

(CHROMIUM ? describe : describe.skip)(`the table browser${CHROMIUM ? '' : ` (${skipped})`}`, () => {
  let home: Home;
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  let tables: TableBrowserPage;
  let activity: PageActivity;

  beforeAll(async () => {
    home = await Home.make();
    [browser] = await Promise.all([launchChromium(), home.start()]);
    demo = JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as Demo;
    const equipment = `${tablesUrl()}/assets/Demo%20Equipment/items`;
    await send('PATCH', `${equipment}/10001004`, { location: 'VIE-GONE' });
    await send('PATCH', `${equipment}/10001004`, { weight: 650 });
    const items = Array.from({ length: MANY_ROWS }, (_, index) => ({ code: `C${String(index).padStart(3, '0')}` }));
    await send('POST', `${tablesUrl()}/lists/bulk`, {
      lists: [{ name: 'Many Codes', columns: [{ name: 'Code', type: 'text' }], items }],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await home.stop();
    home.remove();
  });

  beforeEach(async () => {
    page = await (await browser.newContext({ viewport: { width: 1_300, height: 850 } })).newPage();
    page.setDefaultTimeout(BUSY_MS);
    tables = new TableBrowserPage(page);
    activity = await recordActivity(page);
    await page.goto(`${home.baseUrl}/tables`);
  });

  afterEach(async () => {
    expect([...activity.origins]).toEqual([home.baseUrl]);
    expect(activity.consoleErrors.filter((text) => !isExpected(text))).toEqual([]);
    await page.context().close();
  });

  const tablesUrl = () => `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}/cw`;

  async function send(method: string, url: string, body?: object): Promise<any> {
    const headers = { 'X-API-Key': demo.apiKey, 'Content-Type': 'application/json' };
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return response.json();
  }

  const pumpsUrl = () => `${tablesUrl()}/assets/Edited%20Pumps`;

  /** A table of two rows, as it was created. @param values of the first row in the further columns */
  async function createPumps(further: object[] = [], values: object = {}): Promise<void> {
    const exists = (await fetch(pumpsUrl(), { headers: { 'X-API-Key': demo.apiKey } })).ok;
    if (exists) await send('DELETE', `${pumpsUrl()}?confirm=Edited%20Pumps`);
    const columns = [
      { name: 'Key', type: 'text' },
      { name: 'Name', type: 'text' },
      { name: 'Weight', type: 'number' },
      ...further,
    ];
    const items = [
      { key: 'P1', name: 'Pump 1', weight: 5, ...values },
      { key: 'P2', name: 'Pump 2', weight: 6 },
    ];
    await send('POST', `${tablesUrl()}/assets/bulk`, { assets: [{ name: 'Edited Pumps', columns, items }] });
  }

  const stored = () => page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');

  it('lists the tables by entity with the numbers of their rows', async () => {
    await tables.signIn(demo.apiKey);
    const row = page.getByRole('region', { name: 'Tables of assets' }).getByRole('row', { name: 'Demo Equipment' });
    await row.locator('td:text-is("5") + td:text-is("5")').waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['5', '5', expect.stringContaining('20')]);
    await page
      .getByRole('row', { name: 'Many Codes' })
      .getByRole('cell', { name: String(MANY_ROWS) })
      .waitFor();
    const getHeight = async () => (await row.boundingBox())!.height;
    const inOneLine = await getHeight();
    await page.setViewportSize({ width: 390, height: 850 });
    expect(await getHeight()).toBe(inOneLine);
  });

  it('filters, sorts, searches and reads a table as it was', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Equipment');
    await tables.waitForStatus('5 rows.');
    await tables.addFilter('Weight in kg', 'is at least', '600');
    await tables.waitForStatus('3 rows.');
    const heading = page.getByRole('columnheader', { name: 'Weight in kg' });
    for (const [direction, weights] of [
      ['ascending', ['650', '2100', '5200']],
      ['descending', ['5200', '2100', '650']],
    ] as const) {
      await heading.getByRole('button').click();
      await page.locator(`th[aria-sort=${direction}]`).waitFor();
      await until(
        () => tables.readColumn(2),
        (shown) => shown.join() === weights.join(),
      );
    }
    await page.getByLabel('As of').fill('1');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: '640', exact: true }).waitFor();
    // The address contains what is shown.
    await page.reload();
    await page.getByRole('cell', { name: '640', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the filter Weight in kg is at least “600”' }).click();
    await page.getByLabel('Search').fill('pump 2');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tables.waitForStatus('1 row.');
    expect(await tables.readColumn(0)).toEqual(['10001002']);
    await page.goBack();
    await tables.waitForStatus('5 rows.');
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  it('reads further pages by their cursor', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Many Codes');
    await tables.waitForStatus('120 rows, 50 are shown.');
    const more = page.getByRole('button', { name: 'Load more rows' });
    await more.click();
    await tables.waitForStatus('120 rows, 100 are shown.');
    await more.click();
    await tables.waitForStatus('120 rows.');
    expect(await more.count()).toBe(0);
    const codes = await tables.readColumn(0);
    expect(new Set(codes).size).toBe(MANY_ROWS);
  });

  it('marks unresolved references, selects their rows, and shows the changes of a row', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Equipment');
    await tables.waitForStatus('5 rows.');
    await page.getByRole('row', { name: /VIE-GONE unresolved/ }).waitFor();
    expect(await page.getByText('unresolved', { exact: true }).count()).toBe(1);
    await page.getByRole('link', { name: 'VIE-PKG-L1' }).waitFor();
    await page.getByLabel('Only unresolved references').check();
    await tables.waitForStatus('1 row.');
    await page.getByRole('link', { name: '10001004' }).click();
    const dialog = page.getByRole('dialog', { name: 'Row 10001004' });
    await dialog.getByText('3 changes.').waitFor();
    const entries = dialog.locator('.history > li');
    await entries.first().getByText('by Demo user').waitFor();
    const changes = await entries.evaluateAll((all) =>
      all.map((each) => (each as unknown as { innerText: string }).innerText),
    );
    expect(changes[0]).toMatch(/updated[\s\S]*revision 4[\s\S]*Weight in kg\s+640\s+650/);
    expect(changes[1]).toMatch(/updated[\s\S]*revision 3[\s\S]*Location\s+VIE-PRC-PAS\s+VIE-GONE/);
    expect(changes[2]).toMatch(/created[\s\S]*by the service/);

    // A user without a name.
    const users = `${home.baseUrl}/v1/api/users`;
    const { data } = await send('GET', `${users}?workspaceId=${demo.workspaceId}&q=Demo%20user`);
    const rename = (displayName: string | null) =>
      send('PATCH', `${users}/${data.items[0].id}?workspaceId=${demo.workspaceId}`, { displayName });
    await rename(null);
    await page.reload();
    await entries.first().getByText(`by ${data.items[0].email}`).waitFor();
    await rename('Demo user');
  });

  it('marks only what the API lists as unresolved, not a reference to a row that a policy hides', async () => {
    const workspace = `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}`;
    const { id: policyId } = (
      await send('POST', `${workspace}/access-policies`, {
        name: 'Equipment with the locations of the utilities',
        tables: [
          { entity: 'locations', table: 'Demo Locations', under: 'VIE-UTL' },
          { entity: 'assets', table: 'Demo Equipment' },
        ],
      })
    ).data;
    const { data } = await send('POST', `${workspace}/api-keys`, {
      name: 'Utilities',
      policyId,
      scopes: ['read:workspaces'],
    });
    await tables.signIn(data.apiKey);
    await tables.open('Demo Equipment');
    const hidden = page.getByRole('row', { name: /VIE-PKG-L1/ });
    await hidden.waitFor();
    await page.getByRole('row', { name: /VIE-GONE unresolved/ }).waitFor();
    expect(await page.getByText('unresolved', { exact: true }).count()).toBe(1);
    expect(await hidden.getByRole('link', { name: 'VIE-PKG-L1' }).count()).toBe(0);
    await page.getByLabel('Only unresolved references').check();
    await tables.waitForStatus('1 row.');
    // The list is that of now.
    await page.getByLabel('As of').fill('1');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByLabel('Only unresolved references').waitFor({ state: 'detached' });
    await tables.waitForStatus('5 rows.');
  });

  it('opens the hierarchy level by level, and shows the path of a row', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Locations', 'Hierarchy');
    await tables.waitForStatus('1 row without a parent.');
    const toggle = page.getByRole('button', { name: '3 rows below VIE', exact: true });
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    await toggle.click();
    await page.getByRole('button', { name: '2 rows below VIE-UTL' }).click();
    await page.getByRole('link', { name: 'VIE-UTL-ST' }).waitFor();
    expect(await toggle.getAttribute('aria-expanded')).toBe('true');
    expect(await tables.readColumn(1)).toEqual([
      ...['Vienna dairy', 'Packaging', 'Processing', 'Utilities', 'Cooling water', 'Steam'],
    ]);
    await page.getByRole('link', { name: 'VIE-UTL-CW' }).click();
    const path = page.getByRole('navigation', { name: 'Path of the row' });
    await path.getByRole('link', { name: 'Utilities' }).click();
    await page.getByRole('dialog', { name: 'Row VIE-UTL', exact: true }).waitFor();
    await path.locator('li[aria-current]', { hasText: 'Utilities' }).waitFor();
    expect(await path.getByRole('listitem').allInnerTexts()).toEqual(['Vienna dairy', 'Utilities']);
  });

  it('counts the children of a page of long keys, and shows the name of a table that is opened by its ID', async () => {
    const url = `${tablesUrl()}/lists/Long%20Keys`;
    const keys = Array.from({ length: 50 }, (_, index) => `${String(index).padStart(2, '0')}${'ä'.repeat(200)}`);
    const items = keys.flatMap((code) => [{ code }, { code: `${code}-1`, above: code }]);
    const columns = [
      { name: 'Code', type: 'text' },
      { name: 'Above', type: 'hierarchyParent' },
    ];
    await send('POST', `${tablesUrl()}/lists/bulk`, { lists: [{ name: 'Long Keys', columns, items }] });
    try {
      const { id } = (await send('GET', url)).data;
      await tables.signIn(demo.apiKey);
      await page.goto(`${page.url().split('#')[0]!}#/${demo.workspaceId}/lists/${id}?view=hierarchy`);
      await page.getByRole('heading', { name: 'Long Keys', level: 1 }).waitFor();
      await page.getByRole('button', { name: /^1 row below 00/ }).waitFor();
      expect(await page.getByRole('button', { name: /^1 row below/ }).count()).toBe(50);
      await until(
        () => page.title(),
        (title) => title === 'Long Keys – Atrium tables',
      );
    } finally {
      await send('DELETE', `${url}?confirm=Long%20Keys`);
    }
  });

  it('compares a file, and shows each error at its cell, without storing anything', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Equipment', 'Compare a file');
    await tables.compare('equipment.csv', FILE);
    await tables.waitForStatus('2 rows with errors, 1 created, 1 updated, 3 deleted, 0 unchanged.');
    const rows = await tables.readDifferences();
    expect(rows.slice(0, 2)).toEqual([
      ['Error', '2', '10001001', 'Pump; first', expect.stringMatching(/^heavy\n.*not a number/), 'VIE-UTL-CW', ''],
      ['Error', '4', expect.stringMatching(/primary key and cannot be empty/), 'Without a key', '1', '', ''],
    ]);
    const invalid = page.locator('td.invalid');
    expect(await invalid.allInnerTexts()).toEqual([expect.stringContaining('heavy'), expect.stringContaining('equnr')]);
    expect(rows).toContainEqual(['Updated', '', '10001002', '', '180.5 181', '', '']);
    // HTML in a file is shown as text.
    expect(rows.find(([change]) => change === 'Created')![3]).toBe('<img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    await page.getByLabel('Deleted (3)').uncheck();
    expect(await tables.readDifferences()).toHaveLength(4);

    await tables.compare('equipment.csv', 'EQUNR;Nme\n1;x\n');
    await tables.alert.getByText('The table has no column "Nme"').waitFor();
    await tables.compare('rows.ndjson', '{"equnr":"10001003","weight":"much"}\n');
    await tables.waitForStatus('1 row with errors');
    expect((await tables.readDifferences())[0]).toEqual([
      ...['Error', '1', '10001003'],
      ...['', expect.stringMatching(/^much\n/), '', ''],
    ]);
    await page.getByRole('link', { name: 'Rows', exact: true }).click();
    await tables.waitForStatus('5 rows.');
  });

  it('compares and imports a sheet of a workbook, with the rows and cells of its errors', async () => {
    const items = [{ equipment: 'P-2', name: 'Pump', weight: 5 }];
    const columns = [
      { name: 'Equipment', type: 'text' },
      { name: 'Name', type: 'text' },
      { name: 'Weight', type: 'number' },
      { name: 'OK', type: 'checkbox' },
    ];
    await send('POST', `${tablesUrl()}/assets/bulk`, { assets: [{ name: 'Workbook', columns, items }] });
    await tables.signIn(demo.apiKey);
    await tables.open('Workbook', 'Compare a file');
    await tables.compare('errors.xlsx', readWorkbook('tables/15-errors-formulas.xlsx'));
    await tables.waitForStatus('3 rows with errors, 0 created, 1 updated, 0 deleted, 0 unchanged.');
    const rows = await tables.readDifferences();
    expect(rows.map((cells) => cells.slice(0, 3))).toEqual([
      ['Error', '2', 'P-1'],
      ['Error', '4', 'P-3'],
      ['Error', '5', 'P-4'],
      ['Updated', '', 'P-2'],
    ]);
    expect(rows[0]!.slice(3)).toEqual([
      expect.stringContaining('{"B2":"#N/A"}'),
      expect.stringContaining('{"C2":"#DIV/0!"}'),
      'true',
    ]);
    expect(rows[2]![3]).toContain('formula without a stored value');
    const form = page.getByRole('form', { name: 'Import' });
    await form.getByLabel('Skip the 3 rows with errors').check();
    await form.getByRole('button', { name: 'Import this file' }).click();
    await tables.waitForStatus('Stored: 0 rows created, 1 updated, 0 deleted, 3 rejected.');
    expect((await send('GET', `${tablesUrl()}/assets/Workbook/items`)).data.items).toEqual([
      { equipment: 'P-2', name: 'P-1x', weight: 2, ok: false },
    ]);

    await tables.chooseFile('two.xlsx', readWorkbook('workbooks/two-sheets.xlsx'));
    await page.getByRole('combobox', { name: 'Sheet' }).selectOption('Sheet1');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await tables.alert.getByText('Sheet "Sheet1", row 1: the table has no column "string".').waitFor();
    await tables.compare('title.xlsx', readWorkbook('tables/16-title-and-merged.xlsx'));
    await tables.alert
      .getByText(/no column "Equipment list 01.02.2024".*“Row of the header”.*Nothing was sent/)
      .waitFor();
    await tables.compare('cut.xlsx', readWorkbook('tables/68-cut-sheet.xlsx'));
    await tables.alert
      .getByText(/its part xl\/worksheets\/sheet1.xml is not well-formed XML.*Nothing was sent/)
      .waitFor();
    await tables.compare('old.xls', readWorkbook('tables/26-biff8.xls'));
    await tables.alert.first().getByText('old.xls is an old Excel file').waitFor();
  });

  it('imports a compared file with the options of the comparison, and deletes at most what it has shown', async () => {
    await createPumps();
    await tables.signIn(demo.apiKey);
    await tables.open('Edited Pumps', 'Compare a file');
    await page.locator('summary').click();
    await page.getByLabel('Decimal separator').selectOption({ label: 'comma' });
    await page.getByLabel('Group separator').selectOption({ label: 'point' });
    await page.getByLabel('Encoding').fill('windows-1252');
    const content = Buffer.from(
      'Key;Name;Weight\nP1;K\u00fchlwasserpumpe;1.234,5\nP9;New;1.000\nP8;Bad;much\n',
      'latin1',
    );
    await tables.compare('pumps.csv', content);
    await tables.waitForStatus('1 row with errors, 1 created, 1 updated, 1 deleted, 0 unchanged.');
    const form = page.getByRole('form', { name: 'Import' });
    await form.getByLabel('Also delete the 1 row that the file lacks').check();
    await form.getByRole('button', { name: 'Import this file' }).click();
    await tables.alert.getByText('Line 4:').waitFor();
    await form.getByLabel('Skip the 1 row with errors').check();
    // A row that the comparison has not shown.
    await send('PUT', `${pumpsUrl()}/items/P3`, { name: 'Pump 3' });
    await form.getByRole('button', { name: 'Import this file' }).click();
    await tables.alert.getByRole('link', { name: 'too_many_deletions' }).waitFor();
    await send('DELETE', `${pumpsUrl()}/items/P3`);
    await form.getByRole('button', { name: 'Import this file' }).click();
    await tables.waitForStatus('Stored: 1 row created, 1 updated, 1 deleted, 1 rejected.');
    const { items } = (await send('GET', `${pumpsUrl()}/items`)).data;
    expect(items).toEqual([
      { key: 'P1', name: 'K\u00fchlwasserpumpe', weight: 1_234.5 },
      { key: 'P9', name: 'New', weight: 1_000 },
    ]);
  });

  it('changes a row unless another request has changed it, and shows its notes', async () => {
    const untouched = { active: true, locked: false, remark: 'line 1\r\nline 2' };
    await createPumps(
      [
        { name: 'Active', type: 'checkbox' },
        { name: 'Locked', type: 'checkbox' },
        { name: 'Remark', type: 'text' },
      ],
      untouched,
    );
    const fields = { workCenter: 'MECH', downtime: 2.5 };
    const note = { title: 'Loud at night', asset: 'P1', assetKey: 'Edited Pumps', status: 'open', fields };
    await send('POST', `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}/notes`, note);
    await tables.signIn(demo.apiKey);
    await tables.open('Edited Pumps');
    await page.getByRole('link', { name: 'P1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Row P1' });
    const shown = dialog.getByRole('listitem').filter({ hasText: 'Loud at night' });
    await shown.getByText('Downtime in hours').waitFor();
    expect((await shown.textContent())?.replace(/\s+/g, ' ')).toMatch(
      /Loud at night note open .*Work center ?Mechanical workshop ?Downtime in hours ?2\.5/,
    );
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Weight').fill('77,5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await tables.alert.getByText('not a number').waitFor();
    expect(await tables.alert.innerText()).not.toContain('details.errors');
    await dialog.getByLabel('Weight').fill('77.5');
    await send('PATCH', `${pumpsUrl()}/items/P1`, { name: 'Renamed' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await tables.alert.getByRole('link', { name: 'version_mismatch' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Weight').fill('77.5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/^3 changes/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: '77.5' }).waitFor();
    expect((await send('GET', `${pumpsUrl()}/items/P1`)).data.item).toEqual({
      key: 'P1',
      name: 'Renamed',
      weight: 77.5,
      ...untouched,
    });
  });

  it('lists what an assistant proposes, and stores it when an owner approves', async () => {
    await createPumps();
    const workspace = `${home.baseUrl}/v1/api/workspaces/${demo.workspaceId}`;
    await send('PATCH', workspace, { settings: { assistants: 'propose' } });
    const propose = async (weight: number): Promise<string> => {
      const input = { table: 'assets/Edited Pumps', rows: [{ key: 'P1', weight }] };
      const params = { name: 'propose_rows', arguments: input };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      return (await send('POST', `${home.baseUrl}/mcp`, message)).result.structuredContent.link as string;
    };
    const weightOf = async () => (await send('GET', `${pumpsUrl()}/items/P1`)).data.item.weight as number;
    const [first, second] = [await propose(7), await propose(8)];
    await tables.signIn(demo.apiKey);
    await page.goto(first);
    const changes = page.getByRole('region', { name: 'Proposed changes' });
    await changes.getByRole('row', { name: 'P1' }).waitFor();
    expect(await changes.getByRole('row').nth(1).innerText()).toMatch(/update\s+Edited Pumps\s+P1\s+weight: 5 7/);
    expect(await page.getByText('An assistant').count()).toBe(2);
    expect(await findInaccessible(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).filter({ visible: true }).click();
    await tables.waitForStatus('Approved and stored');
    expect(await weightOf()).toBe(7);
    // The list does not have the proposal of the link any more.
    await page.getByText(/^It was approved and stored .* by Demo user/).waitFor();
    await page.goto(second);
    await page.getByRole('button', { name: 'Approve' }).filter({ visible: true }).click();
    await tables.alert.filter({ hasText: 'proposal_outdated' }).waitFor();
    await page.getByRole('button', { name: 'Compare again' }).filter({ visible: true }).click();
    await tables.waitForStatus('Compared again');
    await changes.getByText('weight: 7 8').waitFor();
    expect(await page.getByText('proposal_outdated').count()).toBe(0);
    await page.getByRole('button', { name: 'Reject' }).filter({ visible: true }).click();
    await tables.waitForStatus('Rejected');
    expect(await weightOf()).toBe(7);
    await page.goto(second.replace(/proposal=.*/, 'proposal=00000000-0000-4000-8000-000000000000'));
    await tables.alert.filter({ hasText: 'not found' }).waitFor();
  });

  it('shows the notes that have a row of a list in a field', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Work Centers');
    await page.getByRole('link', { name: 'MECH' }).click();
    const dialog = page.getByRole('dialog', { name: 'Row MECH' });
    await dialog.getByRole('listitem').filter({ hasText: 'Leak at pump 1' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'ELEC' }).click();
    await page.getByRole('dialog', { name: 'Row ELEC' }).getByText('0 notes.').waitFor();
  });

  it('shows the notes at an asset, and those with the asset in a field', async () => {
    await createPumps();
    const workspace = `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}`;
    const { fields } = (await send('GET', `${workspace}/note-fields`)).data;
    const spare = { key: 'spare', name: 'Spare pump', type: 'row', table: 'Edited Pumps' };
    await send('PUT', `${workspace}/note-fields`, { fields: [...fields, spare] });
    try {
      const asset = { asset: 'P1', assetKey: 'Edited Pumps' };
      await send('POST', `${workspace}/notes`, { title: 'At the pump', ...asset });
      await send('POST', `${workspace}/notes`, { title: 'With a spare', fields: { spare: 'P1' } });
      await tables.signIn(demo.apiKey);
      await tables.open('Edited Pumps');
      await page.getByRole('link', { name: 'P1' }).click();
      const list = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('listitem');
      await list('Notes').filter({ hasText: 'At the pump' }).waitFor();
      await list('Notes by Spare pump').filter({ hasText: 'With a spare' }).waitFor();
      expect(await list('Notes by Spare pump').count()).toBe(1);
    } finally {
      await send('PUT', `${workspace}/note-fields`, { fields });
    }
  });

  it('shows what the caller may see and change, and offers no changes to a key that can only read', async () => {
    await createPumps();
    const keys = `${home.baseUrl}/v2/api/workspaces/${demo.workspaceId}/api-keys`;
    const { data } = await send('POST', keys, { name: 'Reader', scopes: ['read:workspaces'] });
    await tables.signIn(data.apiKey);
    await page.getByText('What you may see and change here').click();
    await page.getByText('You may only read: your credentials lack the scope write:workspaces.').waitFor();
    await tables.open('Edited Pumps');
    await page.getByRole('link', { name: 'P1' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^1 change/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Compare a file' }).click();
    await tables.compare('pumps.csv', 'Key\nP1\n');
    await tables.waitForStatus('1 deleted');
    expect(await page.getByRole('button', { name: 'Import this file' }).count()).toBe(0);
  });

  it('shows errors of the API with the ID of their request, and a link to the catalogue', async () => {
    await tables.signIn(demo.apiKey);
    await tables.open('Demo Equipment');
    await page.getByLabel('As of').fill('99');
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.status() === 400),
      page.getByRole('button', { name: 'Apply' }).click(),
    ]);
    await tables.alert.waitFor();
    const { message, requestId } = (await response.json()) as { message: string; requestId: string };
    expect(await tables.alert.innerText()).toContain(message);
    expect(await tables.alert.innerText()).toContain(requestId);
    expect(await tables.alert.getByRole('link').getAttribute('href')).toMatch(/^guide\/errors#\w+$/);
  });

  it('signs in with a client or an API key, stores no secret, and signs out', async () => {
    const client = page.locator('form', { hasText: 'With a client' });
    await client.getByLabel('Client ID').fill(demo.clientId);
    await client.getByLabel('Client secret').fill('wss_wrong');
    await client.getByRole('button').click();
    await tables.alert.getByText('Status 401').waitFor();
    expect(activity.prompts).toEqual([]);
    await client.getByLabel('Client secret').fill(demo.clientSecret);
    await client.getByRole('button').click();
    await page.getByRole('heading', { name: 'Tables', level: 1 }).waitFor();
    expect(await stored()).toContain('accessToken');
    expect(await stored()).not.toContain(demo.clientSecret);
    expect(await page.evaluate('localStorage.length')).toBe(0);

    const token = await page.evaluate<string>("JSON.parse(sessionStorage.getItem('atrium-tables')).accessToken");
    const headers = { Authorization: `Bearer ${token}` };
    const status = async () => (await fetch(`${home.baseUrl}/v1/api/workspaces`, { headers })).status;
    expect(await status()).toBe(200);
    // The page has tables and notes of a workspace, and its token permits nothing else.
    expect((await fetch(`${home.baseUrl}/v1/api/projects`, { headers })).status).toBe(403);
    const signedOut = page.waitForResponse((each) => each.url().endsWith('/oauth2/logout'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signedOut;
    expect(await status()).toBe(401);
    expect(await stored()).not.toContain('accessToken');

    await tables.signIn(demo.apiKey);
    await page.getByRole('link', { name: 'Demo Equipment' }).waitFor();
  });

  it('asks to sign in again at the end of the session, and continues where it was', async () => {
    await page.getByRole('button', { name: 'Use the demo workspace' }).click();
    await tables.open('Demo Equipment');
    await tables.waitForStatus('5 rows.');
    await page.evaluate(
      `fetch('v1/api/oauth2/logout', { method: 'POST', headers: { Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('atrium-tables')).accessToken } })`,
    );
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.getByText('The sign-in has ended. Sign in again.').waitFor();
    await page.getByRole('button', { name: 'Use the demo workspace' }).click();
    await page.locator('th[aria-sort=ascending]', { hasText: 'Name' }).waitFor();
    await tables.waitForStatus('5 rows.');
  });

  it('is used with the keyboard only', async () => {
    const { keyboard } = page;
    await page.getByLabel('API key').waitFor();
    await tables.tabTo(page.getByLabel('API key'));
    await keyboard.type(demo.apiKey);
    await keyboard.press('Enter');
    await page.getByRole('link', { name: 'Demo Locations' }).waitFor();
    await tables.tabTo(page.getByRole('link', { name: 'Demo Locations' }));
    await keyboard.press('Enter');
    await tables.waitForStatus('8 rows.');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Demo Locations');
    await tables.tabTo(page.getByLabel('Value'));
    await keyboard.type('VIE');
    await keyboard.press('Enter');
    await tables.waitForStatus('1 row.');
    await tables.tabTo(page.getByRole('columnheader', { name: 'Name' }).getByRole('button'));
    await keyboard.press('Space');
    await page.locator('th[aria-sort=ascending]').waitFor();
    const row = page.getByRole('rowheader').getByRole('link', { name: 'VIE', exact: true });
    await tables.tabTo(row);
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Row VIE' }).getByText('1 change.').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await row.and(page.locator(':focus')).count()).toBe(1);
    await keyboard.press('Shift+Tab');
    await page.goto(`${page.url().split('?')[0]!}?view=hierarchy`);
    const toggle = page.getByRole('button', { name: '3 rows below VIE', exact: true });
    await toggle.waitFor();
    await tables.tabTo(toggle);
    await keyboard.press('Enter');
    await tables.tabTo(page.getByRole('button', { name: '2 rows below VIE-UTL' }));
  });

  it.each(VARIANTS)('has no serious finding in %s colors at %i pixels', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 850 });
    const problems: Record<string, string[]> = {};
    const check = async (screen: string) => {
      const hasDialog = (await page.getByRole('dialog').count()) > 0;
      const found = [...(await findInaccessible(page)), ...(await findLowContrast(page))];
      // A dialog covers the screen.
      if (!hasDialog) found.push(...(await findCovered(page)));
      if (found.length > 0) problems[screen] = found;
    };
    await page.getByRole('button', { name: 'Use the demo workspace' }).waitFor();
    await check('sign-in');
    await tables.signIn(demo.apiKey);
    await page.getByRole('link', { name: 'Many Codes' }).waitFor();
    await check('tables');
    await tables.open('Demo Equipment');
    await page.locator('summary').click();
    await tables.addFilter('Name', 'contains', 'e');
    await page.getByText('unresolved', { exact: true }).waitFor();
    await check('rows');
    await page.getByRole('link', { name: '10001004' }).click();
    await page.getByText('3 changes.').waitFor();
    await check('row');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await check('edited row');
    await page.keyboard.press('Escape');
    await page.getByLabel('As of').fill('99');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tables.alert.waitFor();
    await check('error');
    await page.getByRole('link', { name: 'Compare a file' }).click();
    await tables.compare('equipment.csv', FILE);
    await page.getByRole('region', { name: 'Differences' }).waitFor();
    await page.locator('summary').click();
    await check('comparison');
    await page.getByRole('navigation', { name: 'Position' }).getByRole('link', { name: 'Tables' }).click();
    await tables.open('Demo Locations', 'Hierarchy');
    await page.getByRole('button', { name: '3 rows below VIE', exact: true }).click();
    await page.getByRole('link', { name: 'VIE-UTL', exact: true }).waitFor();
    await check('hierarchy');
    expect(problems).toEqual({});
  });

  it('allows neither inline styles and scripts nor other origins, and turns no text into HTML', async () => {
    const response = await page.request.get(`${home.baseUrl}/tables`);
    expect(response.headers()['content-security-policy']!.split(';')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    const convert = `(() => { try { document.body.innerHTML = '<b>text</b>'; return 'converted'; } catch (error) { return error.name; } })()`;
    expect(await page.evaluate(convert)).toBe('TypeError');
    expect(activity.consoleErrors.splice(0)).toEqual([expect.stringContaining('TrustedHTML')]);
  });

  it('is a bundle of few bytes, which browsers store', async () => {
    const html = await (await page.request.get(`${home.baseUrl}/tables`)).text();
    const path = /src="(tables\/app\.js\?v=[\w-]+)"/.exec(html)![1]!;
    const { headers, body } = await load(`${home.baseUrl}/${path}`);
    expect(headers['content-encoding']).toBe('br');
    expect(headers['cache-control']).toContain('immutable');
    const size = brotliDecompressSync(body).length;
    process.stderr.write(`The table browser has ${size} bytes, ${body.length} compressed\n`);
    expect(size).toBeLessThan(MAX_BYTES);
    expect(body.length).toBeLessThan(MAX_COMPRESSED_BYTES);
    const reader = /workbook-reader\.js\?v=[\w-]+/.exec(brotliDecompressSync(body).toString())![0];
    expect((await load(`${home.baseUrl}/tables/${reader}`)).headers['cache-control']).toContain('immutable');
  });

  it('is linked from Swagger UI and from the guide, and has one address', async () => {
    for (const path of ['docs', 'guide/readme', 'tables/']) {
      // Swagger UI shows its header before its scripts are loaded.
      await page.goto(`${home.baseUrl}/${path}`, { waitUntil: 'commit' });
      if (path !== 'tables/') {
        const documents = page.getByRole('navigation', { name: 'Documents' });
        await documents.getByRole('link', { name: 'Tables' }).click();
      }
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/tables');
    }
  });
});

/** The response as it is sent: fetch() would decompress it. */
function load(url: string): Promise<{ headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((settle, fail) => {
    get(url, { headers: { 'accept-encoding': 'br' } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => settle({ headers: response.headers, body: Buffer.concat(parts) }));
    }).on('error', fail);
  });
}
