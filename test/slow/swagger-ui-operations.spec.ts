import type { Browser } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM, launchChromium, type PageActivity, recordActivity } from '../support/browser.js';
import { Home } from '../support/home.js';
import { loadDocument } from '../support/openapi.js';
import { type Execution, SwaggerUiPage } from '../support/swagger-ui.js';

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
  /** Stores an ID of the response for later steps. */
  learn?: (data: Data, ids: Ids) => void;
  /** Runs this step and the next ones on a new page. */
  isOnNewPage?: true;
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

/** Swagger UI merges all operations that were opened on a page into the document with each change, which takes longer and longer. */
const onNewPage = ([first, ...rest]: Step[]): Step[] => [{ ...first!, isOnNewPage: true }, ...rest];

const WALK: Step[] = [
  ...['getLiveness', 'getReadiness', 'getMetrics', 'getKeySet', 'getAuthorizationServer'].map((id) => step(id)),
  ...['listWorkspaces', 'getWorkspace', 'changeWorkspace'].map((id) => step(id)),
  step('upsertLocations'),
  step('upsertAssets'),
  step('upsertLists'),
  step('upsertTables'),
  ...['listTables', 'getTable', 'readLocations', 'readAssets', 'readLists', 'queryRows', 'exportRows'].map((id) =>
    step(id),
  ),
  ...['listChildRows', 'getRowPath', 'getRow', 'getRowByKey', 'listUnresolvedReferences'].map((id) => step(id)),
  step('listRowChanges'),
  ...['putRow', 'putRowByKey', 'patchRow', 'patchRowByKey', 'renameRow', 'importRows'].map((id) => step(id)),
  step('listImports', undefined, learnId('import')),
  step('getImport', 'import'),
  step('downloadImportErrors', 'import'),
  step('compareRows'),
  ...onNewPage(lifeOf('Project', 'Projects')),
  ...lifeOf('Tour', 'Tours'),
  step('createTours'),
  ...lifeOf('Tag', 'Tags'),
  step('createTags'),
  ...onNewPage([step('savePublicNote')]),
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
  ...onNewPage([step('createVirtualStaging', undefined, learnId('VirtualStaging'))]),
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
  ...['getAnalyticsOverview', 'getNoteAnalytics', 'getTourAnalytics', 'getTableAnalytics'].map((id) => step(id)),
  step('pushLegacyRecords'),
  ...onNewPage(['createIndex', 'dropIndex', 'editTable', 'dropColumn', 'deleteRow'].map((id) => step(id))),
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
  ...['replayEvents', 'listDeliveries', 'deleteSubscription'].map((id) => step(id, 'subscription')),
  step('issueToken'),
  step('revokeToken'),
  step('issueToken'),
  step('listSessions', undefined, (data, ids) => {
    const other = (data as unknown as Data[]).find((each) => each['current'] !== true)!;
    ids['session'] = other['id'] as string;
  }),
  step('endSession', 'session'),
  step('logout'),
];

/** Operations that need something which no example can create: an invitation from another workspace, a running import. */
const EXCEPTED: Record<string, string> = {
  acceptInvitation: 'Another workspace must invite the demo user.',
  declineInvitation: 'Another workspace must invite the demo user.',
  importTables: 'The user selects the files.',
  repeatDelivery: 'The user enters the IDs of a subscription and of one of its deliveries.',
  cancelImport: 'The import of the example has ended before it can be cancelled.',
};

/** Two screens: a user sees the responses of an operation soon. */
const MAX_HEIGHT = 2 * 900;

it('the walk contains every documented operation', () => {
  expect([...new Set([...WALK.map(({ id }) => id), ...Object.keys(EXCEPTED)])].sort()).toEqual([...documented].sort());
});

/** The walk takes two minutes, and CI has fifteen for everything. */
const skipped = process.env['CI'] ? 'run it by hand' : CHROMIUM ? undefined : 'no Chromium here';
if (skipped) process.stderr.write(`The walk through Swagger UI: skipped: ${skipped}\n`);

(skipped ? describe.skip : describe)('the operations of Swagger UI on the demo workspace', () => {
  let home: Home;
  let browser: Browser;
  let ui: SwaggerUiPage;
  const activities: PageActivity[] = [];
  const ids: Ids = {};

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
    browser = await launchChromium();
    await openPage();
    ids['attachment'] = await findAttachment(home);
  });

  afterAll(async () => {
    await browser?.close();
    await home.stop();
    home.remove();
  });

  async function openPage(): Promise<void> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(60_000);
    activities.push(await recordActivity(page));
    ui = new SwaggerUiPage(page);
    await page.goto(`${home.baseUrl}/docs`);
    await page.locator('.page-panel').getByRole('button', { name: 'Use the demo workspace' }).click();
    await page.locator('.page-panel[data-state=in]').waitFor();
  }

  /** Runs the operation as it is prefilled, after entering the one ID that only the user knows. */
  async function run({ id, enter, learn }: Step): Promise<object> {
    const operation = await ui.open(id);
    const prefilled = await ui.prefilledOptional(operation);
    const empty = await ui.emptyRequired(operation);
    const height = await ui.heightBeforeResponses(operation);
    if (enter && empty.includes(enter.name)) await ui.fill(operation, enter.name, ids[enter.from]!);
    const { status, body }: Execution = await ui.execute(operation);
    if (body?.data && status < 300) learn?.(body.data, ids);
    await ui.close(operation);
    return {
      id,
      prefilled,
      empty,
      isShort: height <= MAX_HEIGHT || height,
      status: status >= 200 && status < 300 ? '2xx' : [status, body],
    };
  }

  // One test per step, so that each has a time limit of its own; the steps depend on each other.
  it.each(WALK.map((each, index) => [each.id, index + 1, each] as const))(
    'succeeds with %s (step %d) as it is prefilled, with at most one ID entered',
    async (id, _, each) => {
      if (each.isOnNewPage) {
        await ui.page.close();
        await openPage();
      }
      const empty = each.enter ? [each.enter.name] : [];
      expect(await run(each)).toEqual({ id, prefilled: [], empty, isShort: true, status: '2xx' });
    },
  );

  it('requests nothing from other origins and reports no errors in the console', () => {
    expect(new Set(activities.flatMap(({ origins }) => [...origins]))).toEqual(new Set([home.baseUrl]));
    expect(activities.flatMap(({ consoleErrors }) => consoleErrors)).toEqual([]);
  });
});

/** The photo of the demo. */
async function findAttachment(home: Home): Promise<string> {
  const demo = JSON.parse(readFileSync(join(home.path, '.data/demo-credentials.json'), 'utf8')) as Record<
    string,
    string
  >;
  const response = await fetch(`${home.baseUrl}/v1/api/notes`, { headers: { 'X-API-Key': demo['apiKey']! } });
  const [, id] = /\/attachments\/([0-9a-f-]{36})/.exec(await response.text())!;
  return id!;
}
