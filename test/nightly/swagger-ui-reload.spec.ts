import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import libraryDirectory from 'swagger-ui-dist/absolute-path.js';
import { CHROMIUM, launchChromium } from '../support/browser.js';
import { createPetstore } from '../support/petstore.js';
import { TestDatabase, TestService } from '../support/service.js';

const RELOADS = 15;

/** A page with 150 operations takes at most this multiple of one with 19. */
const MAX_RATIO = 1.5;

const TYPES: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
};

if (!CHROMIUM) process.stderr.write('The reload of Swagger UI: skipped: no Chromium here\n');

/** Serves the page of `swagger-ui-dist` as it is, with the petstore document. Browsers store all files. */
async function servePetstore(): Promise<Server> {
  const initializer = `window.onload = () => {
    window.ui = SwaggerUIBundle({
      url: 'petstore.json', dom_id: '#swagger-ui', deepLinking: true, layout: 'StandaloneLayout',
      presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset], plugins: [SwaggerUIBundle.plugins.DownloadUrl],
    });
  };`;
  const replaced: Record<string, string> = {
    'petstore.json': JSON.stringify(createPetstore()),
    'swagger-initializer.js': initializer,
  };
  const server = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : request.url!.slice(1);
    const content = replaced[name] ?? readFile(join(libraryDirectory(), name));
    const headers = {
      'Content-Type': TYPES[name.split('.').at(-1)!] ?? 'image/png',
      'Cache-Control': 'public, max-age=3600',
    };
    void Promise.resolve(content).then((body) => response.writeHead(200, headers).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Milliseconds from the start of the reload until the groups are painted. */
async function measureReload(page: Page): Promise<number> {
  await page.reload();
  const html = page.locator('html[data-painted]');
  return Number(await html.getAttribute('data-painted'));
}

const OBSERVE = `new MutationObserver((_, observer) => {
  if (!document.querySelector('.opblock-tag')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.painted = performance.now())));
}).observe(document, { childList: true, subtree: true });`;

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

(CHROMIUM ? describe : describe.skip)('the reload of Swagger UI', () => {
  let database: TestDatabase;
  let service: TestService;
  let petstore: Server;
  let browser: Browser;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    petstore = await servePetstore();
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    petstore?.close();
    await service?.stop();
    await database?.drop();
  });

  it(`takes at most ${MAX_RATIO} times as long as swagger-ui-dist with the petstore document`, async () => {
    const open = async (url: string) => {
      const page = await (await browser.newContext()).newPage();
      await page.addInitScript(OBSERVE);
      await page.goto(url);
      // The first reloads compile the scripts.
      for (let count = 0; count < 3; count++) await measureReload(page);
      return page;
    };
    const own = await open(`${service.baseUrl}/docs`);
    const other = await open(`http://127.0.0.1:${(petstore.address() as AddressInfo).port}/`);
    const times: { own: number[]; other: number[] } = { own: [], other: [] };
    // In turns, so that other work on the machine slows both.
    for (let count = 0; count < RELOADS; count++) {
      times.own.push(await measureReload(own));
      times.other.push(await measureReload(other));
    }
    const medians = { own: median(times.own), other: median(times.other) };
    const ratio = medians.own / medians.other;
    process.stderr.write(
      `Swagger UI reloads in ${medians.own.toFixed(0)} ms, swagger-ui-dist with the petstore document in ` +
        `${medians.other.toFixed(0)} ms: ${ratio.toFixed(2)} times\n`,
    );
    expect(ratio).toBeLessThan(MAX_RATIO);
  });

  it('shows a header before the scripts are loaded', async () => {
    const page = await (await browser.newContext()).newPage();
    // Never answered.
    await page.route('**/swagger-ui-bundle.js*', () => undefined);
    await page.goto(`${service.baseUrl}/docs`, { waitUntil: 'commit' });
    await page.getByText('Loading the operations').waitFor();
    expect(await page.getByRole('link', { name: 'Guide' }).isVisible()).toBe(true);
    await page.context().close();
  });
});
