import { get } from 'node:http';
import type { Browser, Locator, Page } from 'playwright-core';
import { Api } from '../support/api.js';
import { CHROMIUM, launchChromium, recordActivity, type PageActivity } from '../support/browser.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { recordMeasurement } from '../support/measurements.mjs';
import { findCovered, findLowContrast } from '../support/page-layout.js';
import { findInaccessible } from '../support/table-browser.js';
import { type Execution, SwaggerUiPage } from '../support/swagger-ui.js';
import { decode, signIn } from '../support/tokens.js';
import { until } from '../support/until.js';

const skipped = 'skipped: no Chromium here; name one in CHROMIUM_PATH';
if (!CHROMIUM) process.stderr.write(`Swagger UI: ${skipped}\n`);

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A busy machine is slow; the timeouts allow for that. */
const BUSY_MS = 60_000;

const MAX_EXPANSION_MS = 300;

/** Opens /docs in a real browser. PUBLIC_URL differs from the address, as behind a proxy; a staging server exists. */
(CHROMIUM ? describe : describe.skip)(`Swagger UI${CHROMIUM ? '' : ` (${skipped})`}`, () => {
  let database: TestDatabase;
  let service: TestService;
  let staging: TestService;
  let me: Credentials;
  let browser: Browser;
  let page: Page;
  let activity: PageActivity;

  beforeAll(async () => {
    database = await TestDatabase.create();
    const PORT = String(await freePort());
    const CORS_ORIGINS = `http://127.0.0.1:${PORT}`;
    staging = await TestService.start(database, { PUBLIC_URL: 'https://staging.test', CORS_ORIGINS });
    service = await TestService.start(database, { PORT, STAGING_URL: staging.baseUrl });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([service?.stop(), staging?.stop()]);
    await database?.drop();
  });

  beforeEach(async () => {
    // A new user per test: each sign-in opens a session, and a user has at most ten.
    me = await service.provision();
    // A new context per test: no test reads the storage of another.
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(BUSY_MS);
    activity = await recordActivity(page);
    await page.goto(`${service.baseUrl}/docs`);
  });

  afterEach(async () => {
    await page.context().close();
  });

  /** Opens the Authorize dialog and returns the form of the scheme. */
  async function dialog(scheme: string): Promise<Locator> {
    await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
    const heading = page.getByRole('heading', { name: new RegExp(`^${scheme}\\b`) });
    return page.locator('.auth-container').filter({ has: heading });
  }

  /** Fills in client ID and secret, selects the scopes and clicks Authorize. */
  async function authorize({ clientId, clientSecret }: Credentials, ...scopes: string[]): Promise<Locator> {
    const form = await dialog('oauth2');
    await form.getByLabel('client_id').fill(clientId);
    await form.getByLabel('client_secret').fill(clientSecret);
    for (const scope of scopes) await form.locator('label', { has: page.getByText(scope, { exact: true }) }).click();
    await press(form, 'Authorize');
    return form;
  }

  /** Finds the button by its text: its accessible name differs. */
  const press = (parent: Locator, text: string) => parent.locator('button', { hasText: text }).click();

  /** Runs an operation with "Execute" and reads the response. */
  async function execute(method: string, path: string): Promise<{ status: string; body: string }> {
    await page.locator('.operation-filter-input').fill(`${method} ${path}`);
    const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
    await operation.locator('.opblock-summary-control').click();
    await press(operation, 'Execute');
    const answer = operation.locator('.live-responses-table tbody tr.response');
    const status = await answer.locator('.response-col_status').innerText();
    return { status: status.trim(), body: await answer.locator('.highlight-code pre').first().innerText() };
  }

  const stored = async () => JSON.stringify((await page.context().storageState()).origins);

  it('signs in with client ID and secret, and calls the service with the selected scopes', async () => {
    const form = await authorize(me, 'read:tours', 'read:users');
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    await press(form, 'Close');

    const tours = await execute('get', '/v1/api/tours');
    expect(tours.status).toBe('200');
    expect(JSON.parse(tours.body)).toMatchObject({ status: 200, message: 'OK', data: { items: expect.any(Array) } });
    const { consoleErrors, origins, prompts } = activity;
    expect({ consoleErrors, origins: [...origins], prompts }).toEqual({
      consoleErrors: [],
      origins: [service.baseUrl],
      prompts: [],
    });

    const projects = await execute('get', '/v1/api/projects');
    expect(projects.status).toBe('403');
    expect(JSON.parse(projects.body)).toMatchObject({ error: 'insufficient_scope' });
  });

  it('stays signed in after a reload without storing the client secret', async () => {
    const form = await authorize(me);
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    expect(await stored()).toContain('access_token');
    expect(await stored()).not.toContain(me.clientSecret);
    await page.reload();
    expect((await execute('get', '/v1/api/tours')).status).toBe('200');
  });

  it('removes the access token from the storage of the browser at logout', async () => {
    const form = await authorize(me);
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    expect(await stored()).toContain('access_token');
    await press(form, 'Logout');
    await form.getByLabel('client_secret').waitFor();
    expect(await stored()).not.toContain('access_token');
    await page.reload();
    expect((await execute('get', '/v1/api/tours')).status).toBe('401');
  });

  const panel = (state: string) => page.locator(`.page-panel[data-state=${state}]`);
  const workspaceIds = async () => {
    const { status, body } = await execute('get', '/v1/api/workspaces');
    const { data } = JSON.parse(body) as { data: { items: { id: string }[] } };
    return [status, data.items.map(({ id }) => id)];
  };

  /** Ends the session of the page, as its expiry does. */
  const endSession = async () => {
    const token = await page.evaluate<string>(
      "JSON.parse(localStorage.getItem('authorized')).oauth2.token.access_token",
    );
    const logout = { method: 'POST', headers: { Authorization: `Bearer ${token}` } };
    expect((await fetch(`${service.baseUrl}/v1/api/oauth2/logout`, logout)).status).toBe(200);
  };

  it('notices after 15 minutes that the sign-in has ended, with a button that signs in again', async () => {
    await page.clock.install();
    await page.reload();
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    await endSession();
    await page.clock.fastForward('14:30');
    expect(await panel('in').count()).toBe(1);
    await page.clock.fastForward('01:00');
    await panel('ended').getByText('The sign-in has ended.').waitFor();
    await panel('ended').getByRole('button', { name: 'Sign in again' }).click();
    const form = page.locator('.auth-container').filter({ has: page.getByRole('heading', { name: /^oauth2/ }) });
    expect(await form.getByLabel('client_id').inputValue()).toBe('');
  });

  it('stays signed in although the clock of the browser is an hour ahead', async () => {
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await page.reload();
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    await page.reload();
    await panel('in').waitFor();
  });

  it('does not report the end of the sign-in if the service does not respond', async () => {
    await page.clock.install();
    await page.reload();
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    await page.context().setOffline(true);
    await page.clock.fastForward('15:30');
    await panel('failed').getByText('Your workspaces could not be read. Reload the page.').waitFor();
  });

  it('notices that the service rejects the token, and signs in again', async () => {
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    await endSession();
    expect((await execute('get', '/v1/api/tours')).status).toBe('401');
    // Above the operation, although the page is scrolled to it.
    expect((await panel('ended').boundingBox())!.y).toBe(0);
    await page.setViewportSize({ width: 390, height: 850 });
    // The page is laid out again after a change of its width.
    await until(
      () => findCovered(page),
      (covered) => covered.length === 0,
    );
    await panel('ended').getByRole('button', { name: 'Sign in again' }).click();
    const form = page.locator('.auth-container').filter({ has: page.getByRole('heading', { name: /^oauth2/ }) });
    await form.getByLabel('client_id').fill(me.clientId);
    await form.getByLabel('client_secret').fill(me.clientSecret);
    await press(form, 'Authorize');
    await press(form, 'Close');
    await panel('in').waitFor();
  });

  it('changes the identity of a page that is signed in, to another client and to an API key', async () => {
    const other = await service.provision();
    const form = await authorize(me);
    await press(form, 'Close');
    await panel('in').waitFor();
    await dialog('oauth2');
    await page.getByRole('button', { name: 'Sign in as another client' }).click();
    await form.getByLabel('client_id').fill(other.clientId);
    await form.getByLabel('client_secret').fill(other.clientSecret);
    await press(form, 'Authorize');
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    await press(form, 'Close');
    expect(await workspaceIds()).toEqual(['200', [other.workspaceId]]);

    // Without the fragment, which would expand the operation.
    await page.goto(`${service.baseUrl}/docs`);
    await panel('in').waitFor();
    const keys = await dialog('apiKey');
    await keys.locator('input').fill(me.apiKey);
    await press(keys, 'Authorize');
    await press(keys, 'Close');
    expect(await workspaceIds()).toEqual(['200', [me.workspaceId]]);
  });

  it('shows in the dialog that the secret is wrong, without a browser prompt, and accepts the correct one', async () => {
    const form = await authorize({ ...me, clientSecret: 'wss_wrong' });
    const error = await form.locator('.errors').innerText();
    expect(error).toContain('invalid_client');
    expect(error).toContain('Client authentication failed');
    expect(activity.prompts).toEqual([]);

    await form.getByLabel('client_secret').fill(me.clientSecret);
    await press(form, 'Authorize');
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
  });

  it('shows the response of the token endpoint to wrong Basic credentials, without a browser prompt', async () => {
    const form = await dialog('basic');
    await form.getByLabel('Username').fill(me.clientId);
    await form.getByLabel('Password').fill('wss_wrong');
    await press(form, 'Authorize');
    await press(form, 'Close');
    const { status, body } = await execute('post', '/v1/api/oauth2/token');
    expect([status, JSON.parse(body)]).toEqual(['401', expect.objectContaining({ error: 'invalid_client' })]);
    expect(activity.prompts).toEqual([]);
  });

  it.each(['bearer', 'apiKey'])('authorizes requests with the value entered for the scheme %s', async (scheme) => {
    const { access_token: token } = await signIn(new Api(service.baseUrl), me);
    const form = await dialog(scheme);
    await form.locator('input').fill(scheme === 'bearer' ? token : me.apiKey);
    await press(form, 'Authorize');
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    await press(form, 'Close');
    expect((await execute('get', '/v1/api/tours')).status).toBe('200');
    expect(activity.consoleErrors).toEqual([]);
  });

  it('fills in the workspace and the names of tables of the caller after Authorize, and leaves optional fields empty', async () => {
    const tables = [{ type: 'asset', name: 'Pumps', columns: [{ name: 'Key', type: 'text' }], items: [] }];
    const path = `/v2/api/workspaces/${me.workspaceId}/cw/bulk`;
    expect((await new Api(service.baseUrl).withKey(me.apiKey).post(path, { tables })).status).toBe(201);
    const form = await authorize(me);
    await press(form, 'Close');
    await page.locator('.page-panel[data-state=in]').waitFor();

    const ui = new SwaggerUiPage(page);
    const operation = await ui.open('readAssets');
    expect(await ui.inspect(operation)).toMatchObject({ prefilledOptional: [], emptyRequired: [] });
    const { status, body } = await ui.execute(operation);
    expect([status, body?.data?.['items']]).toEqual([200, []]);
    // Only a service with the embedded database has a demo.
    expect(await page.getByRole('button', { name: 'Use the demo workspace' }).count()).toBe(0);
  });

  it('leaves optional fields of a form empty and fills in those of the example', async () => {
    const project = await new Api(service.baseUrl).withKey(me.apiKey).post('/v1/api/projects', { name: 'Form' });
    expect(project.status).toBe(201);
    const form = await authorize(me);
    await press(form, 'Close');
    await page.locator('.page-panel[data-state=in]').waitFor();
    const ui = new SwaggerUiPage(page);
    const operation = await ui.open('saveNote');
    await operation
      .locator('.body-param-content-type select, .content-type')
      .first()
      .selectOption('multipart/form-data');
    const { status, body } = await ui.execute(operation);
    expect([status, body?.data]).toEqual([
      201,
      expect.objectContaining({ title: 'Leak at the feed pump', priority: null }),
    ]);
  });

  it('creates a note with a photo from its example, and one with two files of a form', async () => {
    expect(
      (await new Api(service.baseUrl).withKey(me.apiKey).post('/v1/api/projects', { name: 'Photos' })).status,
    ).toBe(201);
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    const ui = new SwaggerUiPage(page);
    const operation = await ui.open('saveNote');
    const filesOf = ({ status, body }: Execution) => [status, (body!.data!['files'] as object[]).length];
    expect(filesOf(await ui.execute(operation))).toEqual([201, 1]);
    await operation.locator('.content-type').first().selectOption('multipart/form-data');
    const photo = { mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await operation.getByLabel('files').setInputFiles([
      { name: 'pump.png', ...photo },
      { name: 'valve.png', ...photo },
    ]);
    expect(filesOf(await ui.execute(operation))).toEqual([201, 2]);
  });

  it('links errors to their entry in the catalogue', async () => {
    const ui = new SwaggerUiPage(page);
    const operation = await ui.open('listTours');
    const documented = operation.locator('tr.response[data-code="403"]').getByRole('link');
    expect(await documented.getAttribute('href')).toBe('guide/errors#insufficient_scope');
    expect((await ui.execute(operation)).status).toBe(401);
    const link = operation.locator('.live-responses-table').getByRole('link');
    expect(await link.innerText()).toBe('What unauthenticated means');
    await link.click();
    await page.locator('#unauthenticated:target').waitFor();
  });

  it('shows on demand the errors of the operation, with its scope and its record', async () => {
    const operation = await new SwaggerUiPage(page).open('getNote');
    const example = async (status: number) => {
      const response = operation.locator(`tr.response[data-code="${status}"]`);
      expect(await response.locator('pre').count()).toBe(0);
      await press(response, 'Example');
      return JSON.parse(await response.locator('.highlight-code pre').first().innerText()) as Record<string, unknown>;
    };
    expect(await example(403)).toMatchObject({
      status: 403,
      error: 'insufficient_scope',
      message: 'This needs the scope read:projects. Sign in with it.',
    });
    expect(await example(404)).toMatchObject({
      status: 404,
      error: 'not_found',
      message: expect.stringMatching(/^The note/),
    });
  });

  it('shows the fields of a schema', async () => {
    const schemas = page.locator('section.models');
    await schemas.locator('.models-control').click();
    // Swagger UI renders only those in view.
    const schema = schemas.locator('article').first();
    await schema.locator('button').first().click();
    await schema.locator('.json-schema-2020-12-property').first().waitFor();
  });

  it('does not send a request without its required body', async () => {
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    const operation = await new SwaggerUiPage(page).open('createProject');
    await operation.locator('.body-param__text').fill('');
    await press(operation, 'Execute');
    await operation.locator('.body-param__text.invalid').waitFor();
    expect(await operation.locator('.live-responses-table').count()).toBe(0);
  });

  it('shows the required parameters first, those of the path in its order', async () => {
    const operation = await new SwaggerUiPage(page).open('patchRow');
    const rows = await operation.locator('.parameters-container tr[data-param-name]').all();
    const names = await Promise.all(rows.map((row) => row.getAttribute('data-param-name')));
    expect(names).toEqual(['workspaceId', 'entity', 'table', 'key', 'If-Match']);
  });

  const assistantBox = () => page.getByText('Connect an assistant', { exact: true });

  it('has the configuration of an assistant', async () => {
    await assistantBox().click();
    const box = page.locator('.assistant-box');
    const { url, headers } = JSON.parse(await box.getByLabel('Configuration').innerText()).mcpServers.atrium;
    expect([url, headers]).toEqual([`${service.baseUrl}/mcp`, { 'X-API-Key': 'KEY' }]);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(await new Api(service.baseUrl).withKey(me.apiKey).post('/mcp', ping)).toMatchObject({ status: 200 });
    await box.getByRole('button', { name: 'Copy' }).click();
    await box.getByRole('button', { name: /Copied|Select the text/ }).waitFor();
    await box.getByRole('link', { name: 'The guide' }).click();
    await page.getByRole('heading', { name: 'Connecting an assistant', level: 1 }).waitFor();
  });

  it.each([
    ['light', 1_300],
    ['dark', 1_300],
    ['light', 390],
    ['dark', 390],
  ] as const)('is readable in %s colors at %i pixels, and nothing is covered', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 850 });
    await page.reload();
    await press(await authorize(me), 'Close');
    await panel('in').waitFor();
    await assistantBox().click();
    const findProblems = async () => [...(await findLowContrast(page)), ...(await findCovered(page))];
    // A button that was pressed changes its color for a moment.
    await until(findProblems, (problems) => problems.length === 0);
    const ui = new SwaggerUiPage(page);
    // One of each method, with a list of IDs, a form, numbers and a response.
    for (const id of ['listWorkspaces', 'archiveProject', 'changeTour', 'editTable', 'saveNote']) {
      const operation = await ui.open(id);
      if (id === 'listWorkspaces') await ui.execute(operation);
      await until(findProblems, (problems) => problems.length === 0);
      expect({ id, found: await findInaccessible(page) }).toEqual({ id, found: [] });
      await ui.close(operation);
    }
    const form = await dialog('oauth2');
    await until(
      () => findLowContrast(page),
      (problems) => problems.length === 0,
    );
    await press(form, 'Logout');
    await form.getByLabel('client_id').fill(me.clientId);
    await form.getByLabel('client_secret').fill('wss_wrong');
    await press(form, 'Authorize');
    await form.locator('.errors').waitFor();
    await until(
      () => findLowContrast(page),
      (problems) => problems.length === 0,
    );
    await press(form, 'Close');
    await page.locator('.errors-wrapper').getByText('Auth error').waitFor();
    await until(findProblems, (problems) => problems.length === 0);
  });

  it('shows links to the documents before its scripts have run, which lead to pages', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${service.baseUrl}/docs`);
    expect(await plain.getByText('Loading the operations').isVisible()).toBe(true);
    const links = await plain.locator('.page-header a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    await context.close();
    expect(targets).toEqual(['guide/', 'tables', 'openapi.json', 'guide/changelog']);
    for (const target of targets) expect((await fetch(new URL(target!, `${service.baseUrl}/docs`))).status).toBe(200);
  });

  it('lets browsers store its scripts and styles, whose URLs change with their content', async () => {
    const files = page.locator('script[src], link[rel=stylesheet]');
    const urls = await Promise.all(
      (await files.all()).map(async (file) => (await file.getAttribute('src')) ?? (await file.getAttribute('href'))),
    );
    expect(urls).toHaveLength(4);
    for (const url of urls) {
      const cachingOf = async (path: string) =>
        (await fetch(new URL(path, `${service.baseUrl}/docs`))).headers.get('cache-control');
      expect(await cachingOf(url!)).toBe('public, max-age=31536000, immutable');
      expect(await cachingOf(`${url!}x`)).toBe('no-cache');
    }
  });

  it('opens the dialog at the client credentials', async () => {
    await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container').getByLabel('client_id').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('wsc_typed');
    expect(await page.getByLabel('client_id').inputValue()).toBe('wsc_typed');
  });

  it('shows only operations that match the filter', async () => {
    await page.locator('.operation-filter-input').fill('assets bulk');
    await page.locator('[data-path$="/cw/assets/bulk"]').waitFor();
    expect(await page.locator('.opblock').count()).toBe(1);
  });

  it.each([
    ['photo', 'saveNote'],
    ['upload', 'saveNote'],
    ['create asset table', 'upsertAssets'],
  ])('finds by the words "%s" of path, summary and description the operation %s', async (words, id) => {
    await page.locator('.operation-filter-input').fill(words);
    await page.locator(`.opblock[id$="-${id}"]`).waitFor();
  });

  it('says that no operation matches the filter', async () => {
    await page.locator('.operation-filter-input').fill('unicorn photo');
    await page.getByRole('status').getByText('No operation contains all words of "unicorn photo".').waitFor();
    await page.locator('.operation-filter-input').fill('photo');
    await page.locator('.opblock[id$="-saveNote"]').waitFor();
  });

  it('renders only the operations near the view if many groups are open, and opens one of the others', async () => {
    await page.locator('.opblock-tag').first().waitFor();
    const groups = await page.locator('.opblock-tag').all();
    for (const group of groups.slice(0, 17)) await group.dispatchEvent('click');
    const rows = page.locator('.opblock');
    const rendered = page.locator('.opblock .copy-to-clipboard');
    await until(
      () => rows.count(),
      (count) => count > 100,
    );
    await until(
      () => rendered.count(),
      (count) => count < 60,
    );
    const last = rows.last();
    expect(await last.locator('.copy-to-clipboard').count()).toBe(0);
    const [plain, whole] = [await last.boundingBox(), await rows.first().boundingBox()];
    expect(plain!.height).toBe(whole!.height);
    await last.locator('.opblock-summary-control').dispatchEvent('click');
    await last.locator('.execute').waitFor();
  });

  it(`expands each group within ${MAX_EXPANSION_MS} ms while all others are open`, async () => {
    await page.locator('.opblock-tag').first().waitFor();
    // The page contains only the groups near the view if many operations are shown.
    const durations = await page.evaluate<Record<string, number>>(`(async () => {
      const find = (tag) => document.querySelector('.opblock-tag[data-tag="' + tag + '"]');
      const isOpen = (tag) => find(tag)?.dataset.isOpen === 'true';
      const showFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const toggle = async (tag) => {
        const startedAt = performance.now();
        const wasOpen = isOpen(tag);
        find(tag).click();
        do await showFrame();
        while (find(tag) && isOpen(tag) === wasOpen);
        return performance.now() - startedAt;
      };
      const walk = async (visit) => {
        for (let y = 0; y < document.body.scrollHeight; y += 400) {
          scrollTo(0, y);
          await showFrame();
          await showFrame();
          for (const tag of [...document.querySelectorAll('.opblock-tag')].map(({ dataset }) => dataset.tag))
            if (find(tag)) await visit(tag);
        }
      };
      await walk(async (tag) => {
        if (!isOpen(tag)) await toggle(tag);
      });
      const durations = {};
      await walk(async (tag) => {
        if (tag in durations) return;
        const attempts = [];
        for (let attempt = 0; attempt < 3; attempt++) {
          await toggle(tag);
          if (!find(tag)) return;
          attempts.push(await toggle(tag));
        }
        // Other work on the machine makes attempts slower, but none faster.
        durations[tag] = Math.round(Math.min(...attempts));
      });
      return durations;
    })()`);
    expect(Object.keys(durations).length).toBeGreaterThan(25);
    const slowest = Math.max(...Object.values(durations));
    recordMeasurement('Pages work in a browser', `Swagger UI: the slowest group expands within ${slowest} ms`);
    expect(Object.entries(durations).filter(([, ms]) => ms > MAX_EXPANSION_MS)).toEqual([]);
  });

  it('loads at most 600 kB and nothing from other origins', async () => {
    const urls = [
      'docs',
      ...['swagger-ui-bundle.js', 'swagger-ui.css', 'page.js', 'page.css', 'openapi.json'].map(
        (name) => `docs/${name}`,
      ),
    ];
    const headers = { 'Accept-Encoding': 'br' };
    const sizes = await Promise.all(
      urls.map(
        (url) =>
          new Promise<number>((settle, fail) => {
            get(`${service.baseUrl}/${url}`, { headers }, (response) => {
              let size = 0;
              response
                .on('data', (chunk: Buffer) => (size += chunk.length))
                .on('end', () => settle(size))
                .on('error', fail);
            });
          }),
      ),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000);
    await page.locator('.opblock-tag').first().waitFor();
    expect([...activity.origins]).toEqual([service.baseUrl]);
  });

  it('signs in at the selected server and sends its requests there', async () => {
    await page.locator('.servers select').selectOption(staging.baseUrl);
    const granted = page.waitForResponse((response) => response.url().endsWith('/oauth2/token'));
    const form = await authorize(me);
    const token = (await (await granted).json()) as { access_token: string };
    expect(decode(token.access_token).claims['iss']).toBe('https://staging.test');
    await form.getByRole('heading', { name: 'Authorized' }).waitFor();
    await press(form, 'Close');
    expect((await execute('get', '/v1/api/tours')).status).toBe('200');
    expect([...activity.origins]).toEqual([service.baseUrl, staging.baseUrl]);
  });
});
