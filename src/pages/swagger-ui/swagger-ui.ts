import type { Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type INestApplication, Logger } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ExpressAdapter } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { dump } from 'js-yaml';
import type { Config } from '../../platform/config/config.js';
import { buildDocument } from '../../api-docs/openapi.js';
import { declareIssuers } from '../../api-docs/issuer-schemes.js';
import { type ListIssuers, permitIssuers } from '../issuer-origins.js';
import { createOnce, readBundle, readBundleWith } from '../page-bundles.js';
import type { ApiReference } from '../../api-docs/reference.js';
import { toPageDocument } from './page-document.js';
import { toPostmanCollection } from '../../api-docs/postman-collection.js';
import { toPublishedDocument } from '../../api-docs/published-document.js';
import { ServedText } from '../served-text.js';
import { listenOnce } from '../../platform/listeners.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const STYLE_TYPE = 'text/css; charset=utf-8';

/** Files with a version in their URL, so that browsers store them and do not ask for changes. */
const VERSIONED_FILES = ['page.css', 'swagger-ui.css', 'swagger-ui-bundle.js', 'page.js'] as const;

/**
 * The page loads `docs/…` relative to `/docs`, so that it also works behind a proxy that adds a prefix. The header is
 * visible before the scripts run.
 *
 * @param urls of the versioned files
 */
const createHtml = ([pageStyle, style, bundle, script]: readonly string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium API</title>
<link rel="icon" type="image/png" href="favicon.ico">
<link rel="stylesheet" href="${style}">
<link rel="stylesheet" href="${pageStyle}">
<link rel="preload" href="docs/openapi.json" as="fetch" crossorigin>
</head>
<body>
<header class="page-header">
<strong>Atrium API</strong>
<nav aria-label="Documents">
<a href="guide/">Guide</a>
<a href="tables">Tables</a>
<a href="openapi.json">openapi.json</a>
<a href="guide/changelog">Changelog</a>
</nav>
</header>
<div id="swagger-ui"><p class="page-loading">Loading the operations …</p><noscript>This page needs JavaScript. The document is at <a href="openapi.json">openapi.json</a>.</noscript></div>
<script src="${bundle}" defer></script>
<script src="${script}" defer></script>
</body>
</html>
`;

/**
 * Serves the document at `/openapi.json` and Swagger UI at `/docs`. The documents are built and compressed when the
 * server starts to listen, before its first connection: a request that built them would make all others wait.
 */
export function serveDocument(
  app: INestApplication,
  config: Config,
  reference: ApiReference,
  listIssuers: ListIssuers,
): void {
  const getDocument = once(() => buildDocument(app, config, reference));
  const getPublished = once(() => toPublishedDocument(getDocument()));
  const texts = new Map<string, () => Promise<ServedText>>();
  const serve = (path: string, getText: () => Promise<ServedText>, prepare?: (response: Response) => Promise<void>) => {
    texts.set(path, getText);
    (app.getHttpAdapter() as ExpressAdapter).get(path, async (request: Request, response: Response) => {
      await prepare?.(response);
      await (await getText()).send(request, response);
    });
  };
  const serveText = (path: string, create: () => ServedText | Promise<ServedText>) => serve(path, createOnce(create));
  app.use(redirectToPage);
  serveText('/downloads/atrium.postman_collection.json', () => {
    return new ServedText(JSON.stringify(toPostmanCollection(getDocument())), JSON_TYPE);
  });
  const servePublished = (path: string, write: (document: OpenAPIObject) => ServedText) => {
    let written: { issuers: string; getText: () => Promise<ServedText> } | undefined;
    serve(path, async () => {
      const issuers = await listIssuers();
      const key = JSON.stringify(issuers);
      if (written?.issuers !== key)
        written = { issuers: key, getText: createOnce(() => write(declareIssuers(getPublished(), issuers))) };
      return written.getText();
    });
  };
  servePublished('/openapi.json', (document) => new ServedText(JSON.stringify(document), JSON_TYPE));
  // SwaggerModule.setup() would convert the document for each request, which takes 70 ms.
  servePublished('/openapi.yaml', (document) => {
    return new ServedText(dump(document, { skipInvalid: true, noRefs: true }), 'text/yaml; charset=utf-8');
  });
  const createPage = async () => {
    const urls = VERSIONED_FILES.map(async (name) => `docs/${name}?v=${(await texts.get(`/docs/${name}`)!()).version}`);
    return new ServedText(createHtml(await Promise.all(urls)), 'text/html; charset=utf-8');
  };
  serve('/docs', createOnce(createPage, config.production), (response) => permitIssuers(response, listIssuers));
  serveText('/docs/openapi.json', () => {
    return new ServedText(JSON.stringify(toPageDocument(getDocument(), config, reference)), JSON_TYPE);
  });
  const serveBundle = (path: string, read: () => Promise<ServedText>) =>
    serve(path, createOnce(read, config.production));
  serveBundle('/docs/page.css', () => readBundle('docs.css'));
  serveBundle('/docs/issuer-session.js', () => readBundle('issuer-session.js'));
  serveBundle('/docs/page.js', async () =>
    readBundleWith('docs.js', { 'issuer-session.js': await readBundle('issuer-session.js') }),
  );
  listenOnce(app.getHttpServer() as Server, 'listening', () => {
    const prepare = async (path: string) => (await texts.get(path)!()).prepare();
    Promise.all(DOCUMENTS.map(prepare)).catch((error: unknown) => new Logger('Documents').error(error));
  });
  for (const [path, [name, type]] of Object.entries(LIBRARY_FILES))
    serveText(path, async () => {
      const { default: libraryDirectory } = await import('swagger-ui-dist/absolute-path.js');
      return new ServedText(await readFile(join(libraryDirectory(), name)), type);
    });
}

/** What is built from the metadata of all routes. */
const DOCUMENTS = ['/openapi.json', '/openapi.yaml', '/docs/openapi.json', '/downloads/atrium.postman_collection.json'];

/** Files of Swagger UI that the pages need, by their paths. */
const LIBRARY_FILES = {
  '/docs/swagger-ui-bundle.js': ['swagger-ui-bundle.js', SCRIPT_TYPE],
  '/docs/swagger-ui.css': ['swagger-ui.css', STYLE_TYPE],
  // Browsers request it for every address, such as that of a file.
  '/favicon.ico': ['favicon-32x32.png', 'image/png'],
} as const;

function once<T>(create: () => T): () => T {
  let value: { created: T } | undefined;
  return () => (value ??= { created: create() }).created;
}

/** The page has one address, from which it loads its files. */
function redirectToPage({ method, path }: Request, response: Response, next: NextFunction): void {
  if (!['GET', 'HEAD'].includes(method) || !['/docs/', '/docs/index.html'].includes(path)) next();
  else response.redirect('../docs');
}
