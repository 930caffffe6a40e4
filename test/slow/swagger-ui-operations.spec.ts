import type { Browser } from 'playwright-core';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CHROMIUM, launchChromium, type PageActivity, recordActivity } from '../support/browser.js';
import { Home } from '../support/home.js';
import { loadDocument } from '../support/openapi.js';
import { OperatorProcess } from '../support/operator.js';
import { type Inspection, SwaggerUiPage } from '../support/swagger-ui.js';
import { until } from '../support/until.js';

interface Operation {
  operationId: string;
  requestBody?: unknown;
}

const { paths } = loadDocument<{ paths: Record<string, Record<string, Operation>> }>();
const documented = Object.values(paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);

type Data = Record<string, unknown>;
type Ids = Record<string, string>;

/** An operation in the order of the walk. */
interface Step {
  id: string;
  /** The ID that the user enters: the only parameter that the page cannot fill in. */
  enter?: { name: string; from: string };
  /** Creates what the operation needs and no other operation of the page can create. */
  prepare?: (home: Home, ids: Ids) => Promise<void>;
  /** Stores an ID of the response for later steps. */
  learn?: (data: Data, ids: Ids) => void;
}

const learnId = (name: string) => (data: Data, ids: Ids) => {
  const [first] = (data['items'] as Data[] | undefined) ?? [data];
  ids[name] = String(first!['id']);
};

const step = (id: string, enter?: string, learn?: Step['learn'], parameter = 'id'): Step => ({
  id,
  ...(enter ? { enter: { name: parameter, from: enter } } : {}),
  ...(learn ? { learn } : {}),
});

/** All operations of records with the usual life: create, list, get, change, archive, restore. */
const lifeOf = (one: string, many: string, create = `create${one}`): Step[] => [
  step(create, undefined, learnId(one)),
  step(`list${many}`),
  step(`get${one}`, one),
  step(`change${one}`, one),
  step(`archive${one}`, one),
  step(`restore${one}`, one),
];

/** The operations of tables, which depend on each other. */
const TABLES: Step[] = [
  ...['getLiveness', 'getReadiness', 'getMetrics', 'getKeySet', 'getAuthorizationServer'].map((id) => step(id)),
  ...['listWorkspaces', 'getWorkspace', 'changeWorkspace'].map((id) => step(id)),
  step('upsertLocations'),
  step('upsertAssets'),
  step('upsertLists'),
  step('upsertTables'),
  ...['listTables', 'getTable', 'readLocations', 'readAssets', 'readLists', 'queryRows', 'exportRows'].map((id) =>
    step(id),
  ),
  ...['listChildRows', 'listChildRowsByKey', 'getRowPath', 'getRowPathByKey', 'getRow', 'getRowByKey'].map((id) =>
    step(id),
  ),
  step('listUnresolvedReferences'),
  step('listRowChanges'),
  ...['putRow', 'putRowByKey', 'patchRow', 'patchRowByKey', 'renameRow', 'renameRowByKey'].map((id) => step(id)),
  step('importRows'),
  step('listImports', undefined, learnId('import')),
  step('getImport', 'import'),
  step('downloadImportErrors', 'import'),
  step('importTables'),
  { ...step('cancelImport', 'running'), prepare: beginImport },
  step('compareRows'),
  step('getTableAnalytics'),
  step('pushLegacyRecords'),
  ...['createIndex', 'dropIndex', 'editTable', 'dropColumn', 'deleteRow'].map((id) => step(id)),
  step('upsertAssets'),
  step('deleteRowByKey'),
  step('upsertAssets'),
  step('deleteRows'),
  step('listBatches', undefined, learnId('batch')),
  step('getBatch', 'batch'),
  step('undoBatch', 'batch'),
  step('dropTable'),
  step('listEvents'),
  step('createSubscription', undefined, learnId('subscription')),
  step('listSubscriptions'),
  ...['getSubscription', 'changeSubscription', 'replaceSubscriptionSecret', 'pingSubscription'].map((id) =>
    step(id, 'subscription'),
  ),
  step('replayEvents', 'subscription'),
  step('listDeliveries', 'subscription', learnId('delivery')),
  step('repeatDelivery', 'delivery', undefined, 'deliveryId'),
  step('deleteSubscription', 'subscription'),
];

/** The operations of projects, notes, virtual stagings and users. */
const RECORDS: Step[] = [
  ...lifeOf('Project', 'Projects'),
  ...lifeOf('Tour', 'Tours'),
  step('createTours'),
  ...lifeOf('Tag', 'Tags'),
  step('createTags'),
  step('savePublicNote'),
  step('addPublicNoteMessage'),
  ...lifeOf('Note', 'Notes', 'saveNote'),
  step('addNoteMessage'),
  step('listNoteMessages', 'Note'),
  step('listNoteEvents', 'Note'),
  step('readNoteFeed'),
  ...lifeOf('WorkspaceNote', 'WorkspaceNotes'),
  step('addWorkspaceNoteMessage', 'WorkspaceNote'),
  step('listWorkspaceNoteMessages', 'WorkspaceNote'),
  step('listWorkspaceNoteEvents', 'WorkspaceNote'),
  step('readWorkspaceNoteFeed'),
  step('listNoteStatuses'),
  step('replaceNoteStatuses'),
  step('downloadAttachment', 'attachment'),
  step('downloadThumbnail', 'attachment'),
  step('downloadPublicAttachment'),
  step('downloadPublicThumbnail'),
  step('createVirtualStaging', undefined, learnId('VirtualStaging')),
  step('listVirtualStagings'),
  step('getVirtualStaging', 'VirtualStaging'),
  step('changeVirtualStaging', 'VirtualStaging'),
  step('claimVirtualStaging'),
  step('renewVirtualStagingClaim', 'VirtualStaging'),
  step('addVirtualStagingVariations', 'VirtualStaging'),
  step('completeVirtualStaging', 'VirtualStaging'),
  step('archiveVirtualStaging', 'VirtualStaging'),
  step('restoreVirtualStaging', 'VirtualStaging'),
  step('createVirtualStaging', undefined, learnId('VirtualStaging')),
  step('claimVirtualStaging'),
  step('failVirtualStaging', 'VirtualStaging'),
  step('createVirtualStaging', undefined, learnId('VirtualStaging')),
  step('cancelVirtualStaging', 'VirtualStaging'),
  ...lifeOf('User', 'Users'),
  step('createUsers'),
  step('listInvitations'),
  ...['getAnalyticsOverview', 'getNoteAnalytics', 'getTourAnalytics'].map((id) => step(id)),
];

/** Records that a module adds, of which the page needs no other operation: those with a life that no list contains. */
const OTHER_RECORDS: Step[] = documented
  .flatMap((id) => /^restore(\w+)$/.exec(id)?.[1] ?? [])
  .filter((one) => ![...TABLES, ...RECORDS].some(({ id }) => id === `restore${one}`))
  .flatMap((one) =>
    lifeOf(one, documented.find((id) => new RegExp(`^list${one.slice(0, -1)}\\w{1,4}$`).test(id))!.slice(4)),
  );

/** The operations that need another workspace, or end sessions, after all others. */
const SESSIONS: Step[] = [
  { ...step('declineInvitation', 'invitation'), prepare: invite },
  { ...step('acceptInvitation', 'invitation'), prepare: invite },
  step('issueToken'),
  step('revokeToken'),
  step('issueToken'),
  step('listSessions', undefined, (data, ids) => {
    const other = (data['items'] as Data[]).find((each) => each['current'] !== true)!;
    ids['session'] = other['id'] as string;
  }),
  step('endSession', 'session'),
  step('logout'),
];

/** What a step found; `error` if the page could not run it. */
type Outcome = { id: string; error: string } | ({ id: string; isShort: true | number; status: unknown } & Fields);
type Fields = Omit<Inspection, 'height'>;

/** The walk takes half a minute on an idle machine. */
const WALK_MS = 600_000;

/** Two screens: a user sees the responses of an operation soon. */
const MAX_HEIGHT = 2 * 900;

it('the walk contains every documented operation', () => {
  const walked = [...TABLES, ...RECORDS, ...OTHER_RECORDS, ...SESSIONS].map(({ id }) => id);
  expect([...new Set(walked)].sort()).toEqual([...documented].sort());
});

if (!CHROMIUM) process.stderr.write('The walk through Swagger UI: skipped: no Chromium here\n');

(CHROMIUM ? describe : describe.skip)('the operations of Swagger UI on the demo workspace', () => {
  let home: Home;
  let browser: Browser;
  const activities: PageActivity[] = [];
  const ids: Ids = {};

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
    browser = await launchChromium();
    ids['attachment'] = await findAttachment(home);
  });

  afterAll(async () => {
    await browser?.close();
    await home.stop();
    home.remove();
  });

  async function openPage(): Promise<SwaggerUiPage> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    activities.push(await recordActivity(page));
    await page.goto(`${home.baseUrl}/docs`);
    await page.locator('.page-panel').getByRole('button', { name: 'Use the demo workspace' }).click();
    await page.locator('.page-panel[data-state=in]').waitFor();
    return new SwaggerUiPage(page);
  }

  /** Runs the operation as it is prefilled, after entering the one ID that only the user knows. */
  async function run(ui: SwaggerUiPage, { id, enter, prepare, learn }: Step): Promise<Outcome> {
    await prepare?.(home, ids);
    const operation = await ui.open(id);
    const { height, ...fields } = await ui.inspect(operation);
    if (enter && fields.emptyRequired.includes(enter.name)) await ui.fill(operation, enter.name, ids[enter.from]!);
    const { status, body } = await ui.execute(operation);
    const isSuccess = status >= 200 && status < 300;
    if (body?.data && isSuccess) learn?.(body.data, ids);
    await ui.close(operation);
    return { id, ...fields, isShort: height <= MAX_HEIGHT || height, status: isSuccess ? '2xx' : [status, body] };
  }

  /** The steps after one that the page cannot run would run into the same timeout. */
  async function walk(ui: SwaggerUiPage, steps: Step[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const each of steps) {
      try {
        outcomes.push(await run(ui, each));
      } catch (error) {
        return [...outcomes, { id: each.id, error: String(error) }];
      }
    }
    return outcomes;
  }

  const expected = (steps: Step[]) =>
    steps.map(({ id, enter }): Outcome => {
      const emptyRequired = enter ? [enter.name] : [];
      return { id, emptyRequired, prefilledOptional: [], isShort: true, status: '2xx' };
    });

  it(
    'succeed as they are prefilled, with at most one ID entered, and are short',
    async () => {
      // Two pages at the same time, because a page needs most of its time to render.
      const pages = await Promise.all([openPage(), openPage()]);
      const [tables, records] = await Promise.all([
        walk(pages[0], TABLES),
        walk(pages[1], [...RECORDS, ...OTHER_RECORDS]),
      ]);
      expect(tables).toEqual(expected(TABLES));
      expect(records).toEqual(expected([...RECORDS, ...OTHER_RECORDS]));
      expect(await walk(pages[0], SESSIONS)).toEqual(expected(SESSIONS));
    },
    WALK_MS,
  );

  it('requests nothing from other origins and reports no errors in the console', () => {
    expect(new Set(activities.flatMap(({ origins }) => [...origins]))).toEqual(new Set([home.baseUrl]));
    expect(activities.flatMap(({ consoleErrors }) => consoleErrors)).toEqual([]);
  });
});

/** The photo of the demo. */
async function findAttachment(home: Home): Promise<string> {
  const response = await fetch(`${home.baseUrl}/v1/api/notes`, { headers: { 'X-API-Key': readDemo(home).apiKey } });
  const [, id] = /\/attachments\/([0-9a-f-]{36})/.exec(await response.text())!;
  return id!;
}

function readDemo(home: Home): { apiKey: string; workspaceId: string } {
  return JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as ReturnType<
    typeof readDemo
  >;
}

/** Begins an import whose file never ends. */
async function beginImport(home: Home, ids: Ids): Promise<void> {
  const { apiKey, workspaceId } = readDemo(home);
  const id = (ids['running'] = randomUUID());
  const tables = `${home.baseUrl}/v2/api/workspaces/${workspaceId}/cw`;
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'text/csv' };
  const upload = request(`${tables}/assets/Example%20Assets/items/import?importId=${id}`, { method: 'POST', headers });
  upload.on('error', () => undefined).on('response', () => upload.destroy());
  upload.write('equnr\n');
  const readStatus = async () => (await fetch(`${tables}/imports/${id}`, { headers: { 'X-API-Key': apiKey } })).status;
  await until(readStatus, (status) => status === 200);
}

/** Invites the demo user to a new workspace. */
async function invite(home: Home, ids: Ids): Promise<void> {
  const operator = await OperatorProcess.make(home.path, { ...process.env, DATABASE_URL: '', PORT: String(home.port) });
  const [demo] = await operator.json<{ email: string }[]>('user', 'list');
  const { id, slug } = await operator.json('workspace', 'create', '--name', `Inviting ${randomUUID().slice(0, 8)}`);
  const email = `${slug}@example.com`;
  await operator.json('user', 'create', '--email', email, '--workspace', slug);
  const { apiKey } = await operator.json('api-key', 'create', '--user', email, '--workspace', slug);
  const response = await fetch(`${home.baseUrl}/v1/api/users`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: demo!.email }),
  });
  expect(response.status).toBe(201);
  ids['invitation'] = id;
}
