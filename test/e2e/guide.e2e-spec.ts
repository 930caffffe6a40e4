import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../support/documents.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

let service: SharedService;

beforeAll(async () => {
  ({ service } = await shareService());
}, 60_000);

const read = (path: string) => fetch(new URL(path, service.baseUrl));

describe('the guide', () => {
  it('starts with the README', async () => {
    const response = await read('/guide');
    expect([response.status, new URL(response.url).pathname]).toEqual([200, '/guide/readme']);
    expect(await response.text()).toContain('npm start');
  });

  it('starts with the README at /guide/, too', async () => {
    const response = await read('/guide/');
    expect([response.status, new URL(response.url).pathname]).toEqual([200, '/guide/readme']);
  });

  it('links from the README whatever the README links', async () => {
    const markdown = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const targets = [...markdown.matchAll(/(?<!!\[[^\]]*)\]\([^)]+\)|<http:\/\/localhost:3000[^>]*>/g)];
    const html = await (await read('/guide/readme')).text();
    const links = [...html.matchAll(/<a href="([^"]+)">/g)].map(([, href]) => href!);
    expect(targets.length).toBeGreaterThan(10);
    const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'));
    const linked = [...main.matchAll(/<a href="(?!https?:)([^"]+)">/g)].map(([, href]) => href!);
    expect(linked).toHaveLength(targets.length);
    expect(links).toEqual(expect.arrayContaining(['changelog', 'contributing', 'security-policy', 'settings']));
  });

  it.each(PAGES)('shows %s as a page whose links have pages', async (page) => {
    const response = await read(`/guide/${page}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toMatch(/<h1 id="[^"]+">[^<]+<\/h1>/);
    const links = [...html.matchAll(/href="([^"#]+)(?:#[^"]*)?"/g)].map(([, href]) => href!);
    const local = new Set(links.filter((href) => !/^https?:/.test(href)));
    expect(html).not.toContain('href="http://localhost');
    expect(local.size).toBeGreaterThanOrEqual(PAGES.length);
    for (const href of local) {
      const { status } = await fetch(new URL(href, response.url), { method: 'HEAD' });
      expect({ href, status }).toEqual({ href, status: 200 });
    }
  });

  it('has a page for the guide of each group of operations', async () => {
    const document = (await (await read('/openapi.json')).json()) as { tags: { externalDocs?: { url: string } }[] };
    const guides = document.tags.map(({ externalDocs }) => externalDocs!.url);
    expect(guides.length).toBeGreaterThan(10);
    for (const url of new Set(guides)) {
      const { status } = await read(new URL(url, `${service.baseUrl}/docs`).pathname);
      expect({ url, status }).toEqual({ url, status: 200 });
    }
  });

  it.each(['/guide/unknown', '/guide/..%2Fpackage', '/guide/adr'])('returns 404 for %s', async (path) => {
    expect((await read(path)).status).toBe(404);
  });
});
