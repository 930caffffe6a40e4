import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const PLACES = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Where this machine has a Chromium; undefined where it has none. */
export const CHROMIUM = PLACES.find((path) => path && existsSync(path));

export function launchChromium(): Promise<Browser> {
  // Its sandbox does not run for root, and containers have little shared memory.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** What a page did beside what it shows. */
export interface Witness {
  /** Addresses of the hosts it turned to. */
  origins: Set<string>;
  /** Errors and warnings on its console, and errors that nobody caught. */
  complaints: string[];
  /** Addresses for which the browser would have asked for a name and a password of its own, over the page. */
  prompts: string[];
}

/** Watches a page from before it opens. A prompt is noted and cancelled: without a screen nobody would see it. */
export async function watch(page: Page): Promise<Witness> {
  const witness: Witness = { origins: new Set(), complaints: [], prompts: [] };
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') witness.origins.add(origin);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) witness.complaints.push(message.text());
  });
  page.on('pageerror', (error) => witness.complaints.push(error.message));

  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  session.on('Fetch.authRequired', ({ requestId, request }) => {
    witness.prompts.push(request.url);
    const authChallengeResponse = { response: 'CancelAuth' } as const;
    void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true });
  return witness;
}
