import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, launchChromium, recordActivity, type PageActivity } from '../support/browser.js';
import type { Credentials } from '../support/credentials.js';
import { PAGES } from '../support/documents.js';
import { expectNone } from '../support/for-each.js';
import { findCovered, findLowContrast } from '../support/page-layout.js';
import { findInaccessible } from '../support/table-browser.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { Api } from '../support/api.js';
import { STAGE } from '../support/suites.mjs';
import { signIn } from '../support/tokens.js';

const skipped = 'skipped: no Chromium here; name one in CHROMIUM_PATH';

/** A busy machine is slow; the timeouts allow for that. */
const BUSY_MS = 60_000;

/** What a console reports for the page of an unknown address. */
const isUnknownPage = (text: string) => /^Failed to load resource: .* status of 404/.test(text);

(CHROMIUM ? describe : describe.skip)(`the guide in a browser${CHROMIUM ? '' : ` (${skipped})`}`, () => {
  let service: SharedService;
  let me: Credentials;
  let browser: Browser;
  let page: Page;
  let activity: PageActivity;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    browser = await launchChromium();
  });

  afterAll(() => browser?.close());

  beforeEach(async () => {
    page = await (await browser.newContext({ viewport: { width: 1_300, height: 850 } })).newPage();
    page.setDefaultTimeout(BUSY_MS);
    activity = await recordActivity(page);
  });

  afterEach(async () => {
    expect([...activity.origins]).toEqual([service.baseUrl]);
    expect(activity.consoleErrors.filter((text) => !isUnknownPage(text))).toEqual([]);
    await page.context().close();
  });

  const open = (path: string) => page.goto(`${service.baseUrl}/guide/${path}`);

  it('opens at /guide/ and shows the navigation by reader, which stays in view', async () => {
    await open('');
    expect(new URL(page.url()).pathname).toBe('/guide/readme');
    const navigation = page.getByRole('navigation', { name: 'Guide' });
    expect(await navigation.locator('h2').allTextContents()).toEqual([
      'Start',
      'Integrate',
      'Reference',
      'Operate',
      'Extend',
    ]);
    await page.evaluate('scrollTo(0, 3000)');
    expect(await navigation.getByRole('link', { name: 'Getting started' }).isVisible()).toBe(true);
    expect((await page.locator('details.pages').boundingBox())!.y).toBeLessThan(100);
  });

  it('links to the pages of its own service', async () => {
    await open('readme');
    const link = page.getByRole('link', { name: `${service.baseUrl}/docs` });
    expect(await link.getAttribute('href')).toBe('../docs');
  });

  it('has the contents of a page, and links to the next and the previous page', async () => {
    await open('tables');
    const contents = page.getByRole('navigation', { name: 'On this page' });
    const links = await contents.getByRole('link').all();
    expect(links.length).toBeGreaterThan(5);
    await links[2]!.click();
    expect(decodeURIComponent(new URL(page.url()).hash).slice(1)).toBe(
      await page.locator('main h2, main h3').nth(2).getAttribute('id'),
    );
    await page.locator('a[rel=next]').click();
    const next = page.url();
    await page.locator('a[rel=prev]').click();
    expect(new URL(page.url()).pathname).toBe('/guide/tables');
    expect(next).not.toBe(page.url());
  });

  it('shows one of several languages, which the reader chooses for all calls and pages', async () => {
    await open('languages');
    const shown = async () => {
      const blocks = await page.locator('.languages pre:visible').all();
      return Promise.all(blocks.map((block) => block.getAttribute('data-language')));
    };
    expect(await page.getByRole('tab', { name: 'Java' }).count()).toBe(5);
    expect(await shown()).toEqual(Array(5).fill('sh'));
    await page.getByRole('tab', { name: 'Python' }).first().click();
    expect(await shown()).toEqual(Array(5).fill('python'));
    expect(await findLowContrast(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 850 });
    await page.reload();
    expect(await shown()).toEqual(Array(5).fill('python'));
    expect(await findCovered(page)).toEqual([]);
  });

  it('finds sections by their words, and opens the first with Enter', async () => {
    await open('readme');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate signing keys');
    const results = page.getByRole('list', { name: 'Results' }).getByRole('link');
    await results.first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/guide\/[\w-]+#/);
    expect((await page.locator('main').innerText()).toLowerCase()).toContain('signing keys');
  });

  it('shows what it has found as text without Markdown, after how-to guides the changelog, and moves by the keys up and down', async () => {
    await open('readme');
    await page.getByRole('searchbox').fill('breaking changes');
    const results = page.getByRole('list', { name: 'Results' }).getByRole('link');
    await results.first().waitFor();
    const texts = await results.allInnerTexts();
    expect(texts.findIndex((text) => text.startsWith('Changelog'))).toBe(texts.length - 1);
    expect(texts.filter((text) => /[`*|]|\]\(/.test(text))).toEqual([]);
    const isFocused = (index: number) => results.nth(index).and(page.locator(':focus')).count();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await isFocused(1)).toBe(1);
    await page.keyboard.press('ArrowUp');
    expect(await isFocused(0)).toBe(1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' at once');
    expect(await page.getByRole('searchbox').inputValue()).toBe('breaking changes at once');
  });

  it('is read by the keyboard: a link to the text first, and blocks of code and tables that scroll', async () => {
    await page.setViewportSize({ width: 390, height: 850 });
    await open('tables');
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Skip to the text' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    const unreachable = `[...document.querySelectorAll('main *')].filter((each) => each.scrollWidth > each.clientWidth
      && ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && each.tabIndex < 0).length`;
    expect(await page.evaluate(unreachable)).toBe(0);
  });

  it('lists access and Excel for integrators', async () => {
    await open('readme');
    const integrate = page.getByRole('navigation', { name: 'Guide' }).locator('h2:text-is("Integrate") + ul');
    expect(await integrate.getByRole('link').allInnerTexts()).toEqual(
      expect.arrayContaining(['Giving access', 'Connecting Excel and Power BI', 'Importing files']),
    );
  });

  it('copies a command with the address of the service and the workspace of the reader', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
    await open('getting-started');
    const field = page.getByLabel('Workspace in the commands');
    await field.fill(me.workspaceId);
    const block = page.locator('.block', { hasText: 'TABLES=' }).first();
    // The label is shown for two seconds; a busy machine may look later.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const [code, button] = [await block.locator('pre').boundingBox(), await block.locator('.copy').boundingBox()];
    expect(button!.x).toBeGreaterThanOrEqual(code!.x + code!.width);
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`TABLES="${service.baseUrl}/v2/api/workspaces/${me.workspaceId}/cw"`);
    await page.reload();
    expect(await field.inputValue()).toBe(me.workspaceId);
  });

  it('offers the workspaces of the caller who is signed in to Swagger UI', async () => {
    const token = await signIn(new Api(service.baseUrl), me);
    await open('readme');
    await page.evaluate(`localStorage.setItem('authorized', ${JSON.stringify(JSON.stringify({ oauth2: { token } }))})`);
    await open('getting-started');
    await page.locator('#workspaces option').waitFor({ state: 'attached' });
    expect(await page.getByLabel('Workspace in the commands').inputValue()).toBe(me.workspaceId);
    expect(await page.locator('#workspaces option').count()).toBe(1);
  });

  it.each([
    ['light', 1_300],
    ['dark', 1_300],
    ['light', 390],
    ['dark', 390],
  ] as const)('is readable in %s colors at %i pixels, and nothing is covered', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 850 });
    for (const name of ['', 'nothing', 'guide/readme', 'guide/tables', 'guide/settings']) {
      await page.goto(`${service.baseUrl}/${name}`);
      const layout = [...(await findLowContrast(page)), ...(await findCovered(page))];
      const problems = [...layout, ...(await findInaccessible(page))];
      expect({ name, problems }).toEqual({ name, problems: [] });
    }
  });

  (STAGE === 'nightly' ? it : it.skip)(
    'has no page that is inaccessible',
    async () => {
      const found: string[] = [];
      for (const name of PAGES) {
        await open(name);
        for (const problem of await findInaccessible(page)) found.push(`${name}: ${JSON.stringify(problem)}`);
      }
      expectNone(found, 'Change src/pages/guide or the document.');
    },
    600_000,
  );
});
