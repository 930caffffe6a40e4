import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import type { Config } from '../../platform/config/config.js';
import { ServedText } from '../page/served-text.js';
import { readBundle } from '../page-bundles.js';
import { findProject, listGuideFiles, README } from './guide-files.js';
import { listSections, renderGuidePage } from './guide-page.js';
import { GUIDE_STYLE } from './guide-style.js';

const HTML_TYPE = 'text/html; charset=utf-8';

/**
 * Serves the README, the index of the documents and the documents that it links as pages at `/guide`, next to Swagger
 * UI and without other servers. Each page is rendered when it is first read. The address of a document does not contain
 * its folder.
 */
export function serveGuide(app: INestApplication, { production }: Config): void {
  const project = findProject();
  if (!project) return;
  const files = listGuideFiles(project);
  const express = app.getHttpAdapter().getInstance() as Application;
  const serve = (address: string, create: () => ServedText | Promise<ServedText>, isCached = true): void => {
    let page: ServedText | Promise<ServedText> | undefined;
    express.get(address, async (request, response) => {
      // In development, the pages are bundled again after a change.
      page = isCached && page ? page : create();
      await (await page).send(request, response);
    });
  };
  // Addresses are relative, so that they also work behind a proxy that adds a prefix.
  express.get(['/guide', '/guide/'], ({ path }, response) => {
    response.redirect(path.endsWith('/') ? README : `guide/${README}`);
  });
  for (const file of files) {
    serve(`/guide/${file.name}`, async () => {
      return new ServedText(await renderGuidePage(file, await readFile(file.path, 'utf8'), files), HTML_TYPE);
    });
  }
  serve('/guide/guide.css', () => new ServedText(GUIDE_STYLE, 'text/css; charset=utf-8'));
  const createScript = async () => new ServedText(await readBundle('guide.js'), 'text/javascript; charset=utf-8');
  serve('/guide/guide.js', createScript, production);
  serve('/guide/search.json', async () => {
    const sections = await Promise.all(
      files.map(async (file) => listSections(file, await readFile(file.path, 'utf8'))),
    );
    return new ServedText(JSON.stringify(sections.flat()), 'application/json; charset=utf-8');
  });
  const images = join(project, 'docs/images');
  for (const image of existsSync(images) ? readdirSync(images) : []) {
    serve(`/guide/images/${image}`, async () => new ServedText(await readFile(join(images, image)), 'image/svg+xml'));
  }
}
