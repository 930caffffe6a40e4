import { createServer, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import type * as Client from '@atrium/client';
import { CHROMIUM, launchChromium } from '../support/browser.js';
import { bundleClient } from '../support/client-bundle.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';

const skipped = 'skipped: no Chromium here; name one in CHROMIUM_PATH';
if (!CHROMIUM) process.stderr.write(`Client in a browser: ${skipped}\n`);

type Row = { code: string; weight: number };

/** The module on the page of the test. */
declare const atrium: typeof Client;

/** A page of another origin calls the service, as the web page of an integrator does. */
(CHROMIUM ? describe : describe.skip)(`the client in Chromium${CHROMIUM ? '' : ` (${skipped})`}`, () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    server = await servePage(port);
    database = await TestDatabase.create();
    [service, browser] = await Promise.all([TestService.start(database, { CORS_ORIGINS: origin }), launchChromium()]);
    me = await service.provision();
    page = await browser.newPage();
    await page.goto(origin);
    await page.waitForFunction(() => 'atrium' in globalThis);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
    server?.close();
  });

  const options = () => {
    const { clientId, clientSecret, workspaceId } = me;
    return { baseUrl: service.baseUrl, clientId, clientSecret, workspaceId };
  };

  it('signs in, loads a table in chunks, and reads it by pages and as a stream', async () => {
    const result = await page.evaluate(async (connection) => {
      const client = new atrium.AtriumClient(connection);
      const table = client.assets<Row>('Browser');
      const rows = Array.from({ length: 250 }, (_, index) => ({ code: `K${index}`, weight: index }));
      const progress: number[] = [];
      const columns = [
        { key: 'code', name: 'Code', type: 'text' as const },
        { key: 'weight', name: 'Weight', type: 'number' as const },
      ];
      const onProgress = ({ rows: sent }: { rows: number }) => progress.push(sent);
      const { totals } = await table.upsert(rows, { columns, chunkSize: 100, onProgress });
      const heavy: number[] = [];
      for await (const { weight } of table.rows({ filter: { weight: { gte: 100 } }, sort: 'weight', limit: 40 }))
        heavy.push(weight);
      let streamed = 0;
      for await (const row of table.snapshot()) streamed += row.weight >= 0 ? 1 : 0;
      const sessions = (await client.get('/v1/api/sessions')).items.length;
      await client.signOut();
      return { created: totals.created, progress, heavy, streamed, sessions };
    }, options());
    expect(result).toEqual({
      created: 250,
      progress: [100, 200, 250],
      heavy: Array.from({ length: 150 }, (_, index) => 100 + index),
      streamed: 250,
      sessions: 1,
    });
  });

  it('imports generated rows and a selected file, and compares them', async () => {
    const result = await page.evaluate(async (connection) => {
      const client = new atrium.AtriumClient(connection);
      const table = client.assets<Row>('Browser');
      function* rows() {
        for (let index = 0; index < 300; index++) yield { code: `K${index}`, weight: index };
      }
      const { totals } = await table.import(rows());
      const file = new File(['Code,Weight\nK0,1\nK1,heavy\n'], 'weights.csv', { type: 'text/csv' });
      const differences: unknown[] = [];
      for await (const { change, key } of table.compare(file, {
        format: 'csv',
        filter: { code: { in: ['K0', 'K1'] } },
      }))
        differences.push([change, key]);
      const failure: unknown = await table.import(file, { format: 'csv' }).catch((error: unknown) => error);
      const rejected = failure instanceof atrium.InvalidRowsError && {
        rows: failure.rows,
        requestId: failure.requestId,
      };
      const stopped: unknown = await table
        .import(rows(), { signal: AbortSignal.abort(new Error('stopped')) })
        .catch((error: unknown) => String(error));
      return { totals, differences, rejected, stopped };
    }, options());
    expect(result).toEqual({
      totals: expect.objectContaining({ created: 50, unchanged: 250 }),
      differences: [
        ['error', 'K1'],
        ['update', 'K0'],
      ],
      rejected: { rows: [expect.objectContaining({ line: 3, column: 'weight' })], requestId: expect.any(String) },
      stopped: 'Error: stopped',
    });
  });

  it('uploads a photo, waits for its event, and verifies a webhook', async () => {
    const result = await page.evaluate(async (connection) => {
      const client = new atrium.AtriumClient(connection);
      const events = client.events({ types: ['note.*'], follow: true });
      const next = events.next();
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
      const photo = new File([bytes], 'leak.png', { type: 'image/png' });
      const note = await client.notes.create({ title: 'Leak', files: [photo] });
      const event = (await next).value;
      await events.return();
      const secret = `whsec_${btoa('a secret of the subscription')}`;
      const webhook = await atrium
        .verifyWebhook('{}', new Headers(), secret)
        .catch((error: unknown) => (error as Error).name);
      return { files: note.files, event, webhook };
    }, options());
    expect(result).toEqual({
      files: [expect.objectContaining({ filename: 'leak.png', contentType: 'image/png' })],
      event: expect.objectContaining({ type: 'note.created' }),
      webhook: 'InvalidWebhookError',
    });
  });
});

/** A page that contains the client, as a bundler of the integrator would include it. */
async function servePage(port: number): Promise<Server> {
  const script = await bundleClient('--format=iife', '--name=atrium');
  const server = createServer((request, response) => {
    const isScript = request.url === '/client.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script src="/client.js"></script>');
  });
  await new Promise<void>((settle) => server.listen(port, '127.0.0.1', settle));
  return server;
}
