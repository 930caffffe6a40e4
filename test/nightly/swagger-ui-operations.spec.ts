import type { Browser } from 'playwright-core';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CHROMIUM, launchChromium, type PageActivity, recordActivity } from '../support/browser.js';
import { Home } from '../support/home.js';
import { loadDocument } from '../support/openapi.js';
import { OperatorProcess } from '../support/operator.js';
import { type Inspection, type Provided, SwaggerUiPage } from '../support/swagger-ui.js';
import { until } from '../support/until.js';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string }[];
}

const { paths } = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const documented = operations.map(({ operationId }) => operationId);

/** Operations of several workspaces, which the page limits to the selected one if the caller has several. */
/** Operations that need one of their filters. */
const FILTERED: Readonly<Record<string, string[]>> = { changeWorkspaceNotes: ['externalId'] };

const OF_WORKSPACES = operations
  .filter(({ parameters = [] }) => parameters.some((each) => each.in === 'query' && each.name === 'workspaceId'))
  .map(({ operationId }) => operationId);

/** Creates what the operation needs and no operation of the page can create. */
const PREPARATIONS: Record<string, (home: Home) => Promise<void>> = {
  cancelImport: beginImport,
  acceptInvitation: invite,
  declineInvitation: invite,
};

/**
 * Operations that end what others have created, or change what only the operator creates: the user chooses the first of
 * the list whose text contains this.
 */
const CHOSEN: Record<string, string> = {
  changeWorkspaceClient: '',
  cancelImport: '',
  declineInvitation: '',
  approveProposal: 'pending',
  rejectProposal: 'pending',
};

/** What an operation found; `error` if the page could not run it. */
type Outcome = { id: string; error: string } | ({ id: string; isShort: true | number; status: unknown } & Fields);
type Fields = Omit<Inspection, 'height'> & { provided: Provided };

/** The walk takes two minutes on an idle machine. */
const WALK_MS = 600_000;

/** Two screens: a user sees the responses of an operation soon. */
const MAX_HEIGHT = 2 * 900;

if (!CHROMIUM) process.stderr.write('The walk through Swagger UI: skipped: no Chromium here\n');

(CHROMIUM ? describe : describe.skip)('the operations of Swagger UI on the demo workspace', () => {
  let home: Home;
  let browser: Browser;
  let ui: SwaggerUiPage;
  let activity: PageActivity;
  let order: string[];

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
    browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    activity = await recordActivity(page);
    await page.goto(`${home.baseUrl}/docs`);
    await page.locator('.page-panel').getByRole('button', { name: 'Use the demo workspace' }).click();
    await page.locator('.page-panel[data-state=in]').waitFor();
    ui = new SwaggerUiPage(page);
    order = await ui.listOperations();
  });

  afterAll(async () => {
    await browser?.close();
    await home.stop();
    home.remove();
  });

  /** Runs the operation as it is prefilled, with nothing typed. */
  async function run(id: string): Promise<Outcome> {
    await PREPARATIONS[id]?.(home);
    const operation = await ui.open(id);
    const provided = await ui.provideIds(operation, CHOSEN[id]);
    const { height, ...fields } = await ui.inspect(operation);
    const { status, body } = await ui.execute(operation);
    const isSuccess = status >= 200 && status < 300;
    await ui.close(operation);
    const isShort = height <= MAX_HEIGHT || height;
    return { id, provided, ...fields, isShort, status: isSuccess ? '2xx' : [status, body] };
  }

  async function walk(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const id of order) {
      const failed = (error: unknown): Outcome => ({ id, error: String(error).split('\n', 1)[0]! });
      outcomes.push(await run(id).catch(failed));
    }
    return outcomes;
  }

  it('are all documented ones, with those that end something last in their group', () => {
    expect([...order].sort()).toEqual([...documented].sort());
    const position = (id: string) => order.indexOf(id);
    expect(position('dropTable')).toBeGreaterThan(position('editTable'));
    for (const [end, others] of [
      ['dropTable', ['listTables', 'editTable', 'createIndex']],
      ['logout', ['issueToken', 'listSessions']],
      ['deleteRow', ['getRow', 'patchRow', 'renameRow']],
      ['undoBatch', ['listBatches', 'getBatch']],
      ['deleteSubscription', ['pingSubscription', 'repeatDelivery']],
      ['archiveNote', ['listNoteMessages', 'listNoteEvents']],
      ['failVirtualStaging', ['claimVirtualStaging', 'addVirtualStagingVariations']],
    ] as const)
      expect(others.filter((id) => position(id) > position(end))).toEqual([]);
  });

  it(
    'succeed in the order of the page with nothing typed, and are short',
    async () => {
      const outcomes = await walk();
      const hasSeveral = (id: string) => order.indexOf(id) > order.indexOf('acceptInvitation');
      const expected = order.map((id) => ({
        id,
        provided: id in CHOSEN ? 'chosen' : expect.stringMatching(/^(prefilled|created)$/),
        emptyRequired: [],
        prefilledOptional: FILTERED[id] ?? (hasSeveral(id) && OF_WORKSPACES.includes(id) ? ['workspaceId'] : []),
        isShort: true,
        status: '2xx',
      }));
      expect(outcomes).toEqual(expected);
    },
    WALK_MS,
  );

  it('leave what the caller had before', async () => {
    const { apiKey, workspaceId } = readDemo(home);
    const read = async (path: string) => {
      const response = await fetch(home.baseUrl + path, { headers: { 'X-API-Key': apiKey } });
      const { data } = (await response.json()) as { data: { items: Record<string, string>[] } };
      return data.items.map((item) => item['name'] ?? item['title'] ?? item['label']);
    };
    const tables = `/v2/api/workspaces/${workspaceId}/cw`;
    expect(await read('/v1/api/projects')).toContain('Demo project');
    expect(await read('/v1/api/tours')).toContain('Utilities, ground floor');
    expect(await read('/v1/api/notes')).toEqual(expect.arrayContaining(['Leak at pump 1']));
    expect(await read(`${tables}/assets`)).toEqual(expect.arrayContaining(['Demo Equipment', 'Example Assets']));
  });

  it('request nothing from other origins and report no errors in the console', () => {
    expect([...activity.origins]).toEqual([home.baseUrl]);
    expect(activity.consoleErrors).toEqual([]);
  });
});

function readDemo(home: Home): { apiKey: string; workspaceId: string } {
  return JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as ReturnType<
    typeof readDemo
  >;
}

/** Begins an import whose file never ends. */
async function beginImport(home: Home): Promise<void> {
  const { apiKey, workspaceId } = readDemo(home);
  const id = randomUUID();
  const tables = `${home.baseUrl}/v2/api/workspaces/${workspaceId}/cw`;
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'text/csv' };
  const upload = request(`${tables}/assets/Example%20Assets/items/import?importId=${id}`, { method: 'POST', headers });
  upload.on('error', () => undefined).on('response', () => upload.destroy());
  upload.write('equnr\n');
  const readStatus = async () => (await fetch(`${tables}/imports/${id}`, { headers: { 'X-API-Key': apiKey } })).status;
  await until(readStatus, (status) => status === 200);
}

/** Invites the demo user to a new workspace. */
async function invite(home: Home): Promise<void> {
  const operator = new OperatorProcess(home.path, { ...process.env, DATABASE_URL: '', PORT: String(home.port) });
  const [demo] = await operator.json<{ email: string }[]>('user', 'list');
  const { slug } = await operator.json('workspace', 'create', '--name', `Inviting ${randomUUID().slice(0, 8)}`);
  const email = `${slug}@example.com`;
  await operator.json('user', 'create', '--email', email, '--workspace', slug);
  const { apiKey } = await operator.json('api-key', 'create', '--user', email, '--workspace', slug);
  const response = await fetch(`${home.baseUrl}/v1/api/users`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: demo!.email }),
  });
  expect(response.status).toBe(201);
}
