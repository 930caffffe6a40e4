import type { INestApplication } from '@nestjs/common';
import type { Application, NextFunction, Request, Response } from 'express';
import type { Config } from '../platform/config/config.js';
import { ServedText } from './served-text.js';
import { type ListIssuers, permitIssuers } from './issuer-origins.js';
import { createOnce, hasBundles, readBundle, readBundleWith } from './page-bundles.js';

/**
 * Stricter than that of the other pages: no inline style, no other origin but those of issuers, no frame, and no text
 * that becomes HTML or a script.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';');

/** The page loads `tables/…` relative to `/tables`, so that it also works behind a proxy that adds a prefix. */
const createHtml = (style: ServedText, script: ServedText) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium tables</title>
<link rel="icon" type="image/png" href="favicon.ico">
<link rel="stylesheet" href="tables/page.css?v=${style.version}">
<script type="module" src="tables/app.js?v=${script.version}"></script>
</head>
<body>
<div id="app"><noscript><p>This page needs JavaScript. The API is described at <a href="openapi.json">openapi.json</a>.</p></noscript></div>
</body>
</html>
`;

/**
 * Serves the table browser (`packages/pages/src/tables`) at `/tables`: static files, which call the API as any other
 * client.
 */
export function serveTables(app: INestApplication, config: Config, listIssuers: ListIssuers): void {
  if (!hasBundles()) return;
  const getFiles = createOnce(loadFiles, config.production);
  const serve = async (name: string, request: Request, response: Response): Promise<void> => {
    const file = (await getFiles())[name]!;
    response.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    if (name === 'page') await permitIssuers(response, listIssuers);
    await file.send(request, response);
  };
  app.use(redirectToPage);
  const express = app.getHttpAdapter().getInstance() as Application;
  for (const name of ['page', 'app.js', 'issuer-session.js', 'workbook-reader.js', 'page.css'])
    express.get(name === 'page' ? '/tables' : `/tables/${name}`, (request, response) => serve(name, request, response));
}

async function loadFiles(): Promise<Record<string, ServedText>> {
  const parts = {
    'issuer-session.js': await readBundle('issuer-session.js'),
    'workbook-reader.js': await readBundle('workbook-reader.js'),
  };
  const [style, script] = [await readBundle('tables.css'), await readBundleWith('app.js', parts)];
  const page = new ServedText(createHtml(style, script), 'text/html; charset=utf-8');
  return { page, 'app.js': script, 'page.css': style, ...parts };
}

/** The page has one address, from which it loads its files. */
function redirectToPage({ method, path }: Request, response: Response, next: NextFunction): void {
  if (!['GET', 'HEAD'].includes(method) || path !== '/tables/') next();
  else response.redirect('../tables');
}
