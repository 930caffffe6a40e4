import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { Api } from '../support/api.js';
import { CHROMIUM, launchChromium } from '../support/browser.js';
import type { Credentials } from '../support/credentials.js';
import { AUDIENCE, TestIssuer } from '../support/issuer.js';
import { Operator } from '../support/operator.js';
import { TestDatabase, TestService } from '../support/service.js';
import { SwaggerUiPage } from '../support/swagger-ui.js';
import { Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

const skipped = 'skipped: no Chromium here; name one in CHROMIUM_PATH';
if (!CHROMIUM) process.stderr.write(`The sign-in at an issuer on the pages: ${skipped}\n`);

/** A busy machine is slow; the timeouts allow for that. */
const BUSY_MS = 30_000;
const NAME = 'Works';
const DOMAIN = 'works.example';

(CHROMIUM ? describe : describe.skip)(`the sign-in at an issuer${CHROMIUM ? '' : ` (${skipped})`}`, () => {
  let database: TestDatabase;
  let issuer: TestIssuer;
  let service: TestService;
  let owner: Credentials;
  let browser: Browser;
  let page: Page;
  let login: string;

  beforeAll(async () => {
    [database, issuer, browser] = await Promise.all([TestDatabase.create(), TestIssuer.start(), launchChromium()]);
    service = await TestService.startPublic(database);
    owner = await service.provision('Vienna works');
    await Tables.of(service, owner).bulk('assets', { name: 'Pumps', columns: [text('Code')], items: [{ code: 'P1' }] });
    const args = ['issuer', 'add', '--url', issuer.url, '--audience', AUDIENCE, '--domain', DOMAIN];
    await new Operator(service.env).json(...args, '--sign-in-client-id', 'page', '--sign-in-name', NAME);
    await until(
      () => new Api(service.baseUrl).get('/v1/api/oauth2/issuers'),
      ({ body }) => body.data.items.length > 0,
    );
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    issuer?.stop();
    await database?.drop();
  });

  beforeEach(async () => {
    login = randomUUID();
    const email = `${login}@${DOMAIN}`;
    await service.operator('user', 'create', '--email', email, '--workspace', owner.workspaceId);
    await issuer.setPeople({ [login]: { email, email_verified: true } });
    await issuer.setLifetime(600);
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(BUSY_MS);
  });

  afterEach(() => page.context().close());

  const start = () =>
    page
      .getByRole('button', { name: `Sign in with ${NAME}` })
      .first()
      .click();
  const stored = () => page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  const countRequests = async (path: string) => (await issuer.requests()).filter((each) => each === path).length;

  /** Signs in on the pages of the issuer, which lead back. */
  async function signIn(): Promise<void> {
    await start();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  /** Nothing of the sign-in remains in the address or in the storage of the browser. */
  async function expectNothingStored(address: string): Promise<void> {
    expect(page.url()).toBe(service.baseUrl + address);
    const [local, session] = JSON.parse(await stored()) as [Record<string, string>, Record<string, string>];
    expect([local['authorized'] ?? '{}', session]).toEqual(['{}', {}]);
  }

  async function signOutAtIssuer(address: string): Promise<void> {
    const revoked = await countRequests('/token/revocation');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.waitForURL(service.baseUrl + address);
    expect(await countRequests('/token/revocation')).toBe(revoked + 1);
    await page
      .getByRole('button', { name: `Sign in with ${NAME}` })
      .first()
      .waitFor();
  }

  describe('the table browser', () => {
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

    it('signs in, returns to where it was, renews the token, and signs out', async () => {
      await issuer.setLifetime(3);
      const address = `/tables#/${owner.workspaceId}`;
      await page.goto(service.baseUrl + address);
      await signIn();
      await heading('Tables');
      await expectNothingStored(address);
      await page.waitForTimeout(2_500);
      const before = await countRequests('/token');
      await page.getByRole('link', { name: 'Pumps', exact: true }).click();
      await page
        .getByRole('cell', { name: 'P1' })
        .or(page.getByRole('rowheader', { name: 'P1' }))
        .first()
        .waitFor();
      expect(await countRequests('/token')).toBeGreaterThan(before);
      await expectNothingStored(`${address}/assets/Pumps`);
      await signOutAtIssuer('/tables');
    });

    it('is signed out after a reload', async () => {
      await page.goto(`${service.baseUrl}/tables`);
      await signIn();
      await heading('Tables');
      await page.reload();
      await heading('Sign in');
    });

    it('rejects another state, and a sign-in that was not started in this tab', async () => {
      const before = await countRequests('/token');
      await page.goto(`${service.baseUrl}/tables`);
      await start();
      await page.getByPlaceholder('Enter any login').waitFor();
      const forged = `${service.baseUrl}/tables?code=of-another&state=of-another&iss=${encodeURIComponent(issuer.url)}`;
      await page.goto(forged);
      await page.getByRole('alert').filter({ hasText: 'unexpected "state"' }).waitFor();
      await expectNothingStored('/tables');
      await page.goto(forged);
      await page.getByRole('alert').filter({ hasText: 'not started in this tab' }).waitFor();
      expect(await countRequests('/token')).toBe(before);
    });

    it('reports that no workspace has invited the person', async () => {
      await issuer.setPeople({ [login]: { email: `nobody@${DOMAIN}`, email_verified: true } });
      await page.goto(`${service.baseUrl}/tables`);
      await signIn();
      await page.getByRole('alert').filter({ hasText: 'Ask an owner' }).waitFor();
      await heading('Sign in');
    });
  });

  describe('Swagger UI', () => {
    const panel = (state: string) => page.locator(`.page-panel[data-state=${state}]`);

    it('signs in, executes an operation, and signs out', async () => {
      await page.goto(`${service.baseUrl}/docs`);
      await signIn();
      await panel('in').getByText(`Signed in with ${NAME}`).waitFor();
      await expectNothingStored('/docs');
      const swagger = new SwaggerUiPage(page);
      const operation = await swagger.open('listWorkspaces');
      const { status, body } = await swagger.execute(operation);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain(owner.workspaceId);
      expect(await stored()).not.toContain('eyJ');
      await signOutAtIssuer('/docs');
    });

    it('rejects another state', async () => {
      const before = await countRequests('/token');
      await page.goto(`${service.baseUrl}/docs`);
      await start();
      await page.getByPlaceholder('Enter any login').waitFor();
      await page.goto(`${service.baseUrl}/docs?code=a&state=of-another&iss=${encodeURIComponent(issuer.url)}`);
      await page.getByRole('alert').filter({ hasText: 'unexpected "state"' }).waitFor();
      await expectNothingStored('/docs');
      expect(await countRequests('/token')).toBe(before);
    });
  });
});
