import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import type { Config } from '../../platform/config/config.js';
import { ServedText } from '../served-text.js';
import { createOnce, readBundle } from '../page-bundles.js';
import { findProject, listGuideFiles, README } from './guide-files.js';
import { listSections, renderGuidePage } from './guide-page.js';

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
  const serve = (address: string, getText: () => Promise<ServedText>): void => {
    express.get(address, async (request, response) => (await getText()).send(request, response));
  };
  const serveText = (address: string, create: () => Promise<ServedText>): void => serve(address, createOnce(create));
  // Addresses are relative, so that they also work behind a proxy that adds a prefix.
  express.get(['/guide', '/guide/'], ({ path }, response) => {
    response.redirect(path.endsWith('/') ? README : `guide/${README}`);
  });
  for (const file of files) {
    serveText(`/guide/${file.name}`, async () => {
      return new ServedText(await renderGuidePage(file, await readFile(file.path, 'utf8'), files), HTML_TYPE);
    });
  }
  for (const name of ['guide.css', 'guide.js'] as const)
    serve(
      `/guide/${name}`,
      createOnce(() => readBundle(name), production),
    );
  serveText('/guide/search.json', async () => {
    const sections = await Promise.all(
      files.map(async (file) => listSections(file, await readFile(file.path, 'utf8'))),
    );
    return new ServedText(JSON.stringify(sections.flat()), 'application/json; charset=utf-8');
  });
  const images = join(project, 'docs/images');
  for (const image of existsSync(images) ? readdirSync(images) : []) {
    serveText(
      `/guide/images/${image}`,
      async () => new ServedText(await readFile(join(images, image)), 'image/svg+xml'),
    );
  }
}
