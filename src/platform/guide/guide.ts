import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import type { Config } from '../config/config.js';
import { ServedText } from '../openapi/page/served-text.js';
import { type GuideFile, renderGuidePage } from './guide-page.js';

const HTML_TYPE = 'text/html; charset=utf-8';

/** The page with the README, which is the first one. */
const README = 'readme';

/**
 * Serves the files of `docs` and the README as pages at `/guide`, next to Swagger UI and without other servers. Each page is
 * rendered when it is first read.
 */
export function serveGuide(app: INestApplication, { http }: Config): void {
  const project = findProject();
  if (!project) return;
  const files = listFiles(project);
  const express = app.getHttpAdapter().getInstance() as Application;
  const serve = (address: string, create: () => Promise<ServedText>): void => {
    let page: Promise<ServedText> | undefined;
    express.get(address, async (request, response) => {
      page ??= create();
      await (await page).send(request, response, http.compression);
    });
  };
  // Addresses are relative, so that they also work behind a proxy that adds a prefix.
  express.get('/guide', (_request, response) => {
    response.redirect(`guide/${README}`);
  });
  for (const { name, path } of files) {
    serve(`/guide/${name}`, async () => {
      return new ServedText(await renderGuidePage(name, await readFile(path, 'utf8'), files), HTML_TYPE);
    });
  }
  const images = join(project, 'docs/images');
  for (const image of existsSync(images) ? readdirSync(images) : []) {
    serve(`/guide/images/${image}`, async () => new ServedText(await readFile(join(images, image)), 'image/svg+xml'));
  }
}

/** All pages: the README first, then those that it links, in this order. */
function listFiles(project: string): GuideFile[] {
  const readme = join(project, 'README.md');
  const linked = [...readFileSync(readme, 'utf8').matchAll(/\]\(docs\/([\w-]+)\.md/g)].map(([, name]) => name!);
  const files = readdirSync(join(project, 'docs')).filter((file) => file.endsWith('.md'));
  const names = new Set([...linked, ...files.map((file) => file.slice(0, -'.md'.length))]);
  const pages = [...names].map((name) => ({ name, path: join(project, 'docs', `${name}.md`) }));
  return [{ name: README, path: readme }, ...pages].map((page) => ({
    ...page,
    title: /^# (.+)$/m.exec(readFileSync(page.path, 'utf8'))?.[1] ?? page.name,
  }));
}

/** The folder that contains `docs`: the program is in a subfolder of the build or of the bundle. Undefined if there is none. */
function findProject(): string | undefined {
  for (let folder = dirname(process.argv[1] ?? ''), above = dirname(folder); folder !== above;) {
    if (existsSync(join(folder, 'docs', 'tables.md'))) return folder;
    [folder, above] = [above, dirname(above)];
  }
  return undefined;
}
