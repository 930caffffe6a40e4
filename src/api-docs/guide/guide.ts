import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import type { Config } from '../../platform/config/config.js';
import { ServedText } from '../page/served-text.js';
import { type GuideFile, renderGuidePage } from './guide-page.js';

const HTML_TYPE = 'text/html; charset=utf-8';

/** The page with the README, which is the first one. */
const README = 'readme';

/** The page with the index of the documents. */
const INDEX = 'documents';

/**
 * Serves the README, the index of the documents and the documents that it links as pages at `/guide`, next to Swagger
 * UI and without other servers. Each page is rendered when it is first read. The address of a document does not contain
 * its folder.
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
      return new ServedText(await renderGuidePage(path, await readFile(path, 'utf8'), files), HTML_TYPE);
    });
  }
  const images = join(project, 'docs/images');
  for (const image of existsSync(images) ? readdirSync(images) : []) {
    serve(`/guide/images/${image}`, async () => new ServedText(await readFile(join(images, image)), 'image/svg+xml'));
  }
}

/** All pages: the README, the index, and the documents in the order of the index. */
function listFiles(project: string): GuideFile[] {
  const index = join(project, 'docs', 'README.md');
  const documents = [...readFileSync(index, 'utf8').matchAll(/\]\(([\w-]+\/([\w-]+)\.md)\)/g)]
    .filter(([, path]) => !path!.startsWith('adr/'))
    .map(([, path, name]) => ({ name: name!, path: join(project, 'docs', path!) }));
  return [{ name: README, path: join(project, 'README.md') }, { name: INDEX, path: index }, ...documents].map(
    (page) => ({
      ...page,
      title: /^# (.+)$/m.exec(readFileSync(page.path, 'utf8'))?.[1] ?? page.name,
    }),
  );
}

/**
 * The folder that contains `docs`: the program is in a subfolder of the build or of the bundle. Undefined if there is
 * none.
 */
function findProject(): string | undefined {
  for (let folder = dirname(process.argv[1] ?? ''), above = dirname(folder); folder !== above;) {
    if (existsSync(join(folder, 'docs', 'README.md'))) return folder;
    [folder, above] = [above, dirname(above)];
  }
  return undefined;
}
