import type { INestApplication } from '@nestjs/common';
import type { Application, NextFunction, Request, Response } from 'express';
import type { Config } from '../platform/config/config.js';
import type { SendFailure } from '../platform/http/error.filter.js';
import { isApi } from '../platform/http/middleware.js';
import { areDocumentsPublic } from '../platform/http/served-ports.js';
import { escapeHtml } from './guide/highlight.js';
import { ServedText } from './served-text.js';
import { createOnce, readBundle } from './page-bundles.js';

/** The pages of the service, and their readers. */
const PAGES = [
  {
    path: 'guide/readme',
    title: 'Read the guide',
    readers: 'For everyone who begins, and for integrators, engineers and operators.',
    content: 'The first hour, imports every night, modules, production, and the catalogue of errors.',
  },
  {
    path: 'docs',
    title: 'Try the API',
    readers: 'For developers of clients.',
    content: 'Every operation, filled in with your workspace. Run it, and copy the command.',
  },
  {
    path: 'tables',
    title: 'Look at tables',
    readers: 'For people who own master data or files.',
    content: 'Search, filter and edit rows, see their history, and compare a file before it is imported.',
  },
];

/** @param root the relative address of `/`, so that links also work behind a proxy that adds a prefix */
function createHtml(root: string, title: string, text: string): string {
  const links = PAGES.map(
    ({ path, title, readers, content }) =>
      `<li><a href="${root}${path}"><strong>${title}</strong><span>${readers}</span><span class="muted">${content}</span></a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" href="${root}favicon.ico">
<link rel="stylesheet" href="${root}guide/start.css">
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<ul>
${links.join('\n')}
</ul>
</main>
</body>
</html>
`;
}

/**
 * Serves `/` with links to the pages of the service. A browser that asks for an unknown address receives these links,
 * too, with the status 404; all other callers receive the usual error.
 */
export function serveStartPage(app: INestApplication, config: Config): void {
  const { http } = config;
  const start = new ServedText(
    createHtml('', 'Atrium', 'Projects, tours, notes and master data of a workspace, over a REST API.'),
    'text/html; charset=utf-8',
  );
  const express = app.getHttpAdapter().getInstance() as Application;
  const getStyle = createOnce(() => readBundle('start.css'), config.production);
  express.get('/guide/start.css', async (request, response) => (await getStyle()).send(request, response));
  // Middleware, because a route would also match `//`.
  app.use((request: Request, response: Response, next: NextFunction) => {
    const isPage = ['GET', 'HEAD'].includes(request.method);
    if (isPage && request.path === '/') {
      void start.send(request, response).catch(next);
      return;
    }
    const hasPages = areDocumentsPublic(http) || request.socket.localPort === http.docsPort;
    // Programs call the API, and may accept HTML by default. There is no page for a target such as `*`.
    const mayBePage = isPage && request.path.startsWith('/') && !isApi(request);
    if (mayBePage && hasPages && request.accepts('json', 'html') === 'html') request.sendUnknownPath = sendUnknownPath;
    next();
  });
}

const sendUnknownPath: SendFailure = ({ status }, { path }, response) => {
  const root = '../'.repeat(path.split('/').length - 2);
  const text = `The service has no page at <code>${escapeHtml(path)}</code>. These are its pages:`;
  response
    .status(status)
    .vary('Accept')
    .type('html')
    .send(createHtml(root, 'This page does not exist', text));
};
