import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM_PATHS = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Path of the Chromium on this machine; undefined if none is installed. */
export const CHROMIUM = CHROMIUM_PATHS.find((path) => path && existsSync(path));

export function launchChromium(): Promise<Browser> {
  // The sandbox does not run as root, and containers have little shared memory and no graphics processor.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Activity of a page, in addition to its visible content. */
export interface PageActivity {
  /** Origins of its requests. */
  origins: Set<string>;
  /** Errors and warnings on the console, and uncaught errors. */
  consoleErrors: string[];
  /** URLs for which the browser would have shown its own sign-in prompt. */
  prompts: string[];
}

/** Records the activity of a page; call it before the page opens. Prompts are recorded and cancelled. */
export async function recordActivity(page: Page): Promise<PageActivity> {
  const activity: PageActivity = { origins: new Set(), consoleErrors: [], prompts: [] };
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') activity.origins.add(origin);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) activity.consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => activity.consoleErrors.push(error.message));

  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  session.on('Fetch.authRequired', ({ requestId, request }) => {
    activity.prompts.push(request.url);
    const authChallengeResponse = { response: 'CancelAuth' } as const;
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  return activity;
}
