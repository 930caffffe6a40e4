import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import type { Config } from '../config/config.js';
import { ServedText } from '../openapi/page/served-text.js';
import { GUIDE_STYLE } from './guide-style.js';

const HTML_TYPE = 'text/html; charset=utf-8';

/** The page with the README, which is the first one. */
const README = 'readme';

/** A link to a file in `docs`, or to the README. */
const PAGE_LINK = /^(?:\.\.\/|docs\/)?([\w-]+)\.md(#.*)?$/;

/**
 * Serves the files of `docs` and the README as pages at `/guide`, next to Swagger UI and without other servers. Each page is
 * rendered when it is first read.
 */
export function serveGuide(app: INestApplication, { http }: Config): void {
  const project = findProject();
  if (!project) return;
  const pages = listPages(project);
  const express = app.getHttpAdapter().getInstance() as Application;
  // Addresses are relative, so that they also work behind a proxy that adds a prefix.
  express.get('/guide', (_request, response) => {
    response.redirect(`guide/${README}`);
  });
  for (const [name, path] of pages) {
    let page: Promise<ServedText> | undefined;
    express.get(`/guide/${name}`, async (request, response) => {
      page ??= renderPage(name, path, [...pages.keys()]);
      await (await page).send(request, response, http.compression);
    });
  }
}

async function renderPage(name: string, path: string, names: readonly string[]): Promise<ServedText> {
  const markdown = await readFile(path, 'utf8');
  // Loaded with the first page that is read.
  const { Marked } = await import('marked');
  const marked = new Marked({
    gfm: true,
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = toTarget(href, names);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
    },
  });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
  const links = names.map((each) => `<a href="${each}"${each === name ? ' aria-current="page"' : ''}>${each}</a>`);
  return new ServedText(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Atrium</title>
<style>${GUIDE_STYLE}</style>
</head>
<body>
<nav><a href="../docs">Swagger UI</a>${links.join('')}</nav>
<main>${await marked.parse(markdown)}</main>
</body>
</html>
`,
    HTML_TYPE,
  );
}

/** The address of a link in a file; undefined if it names a file of the repository that is not a page. */
function toTarget(href: string, names: readonly string[]): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [, name = '', fragment = ''] = PAGE_LINK.exec(href) ?? [];
  const page = name.toLowerCase();
  return names.includes(page) ? `${page}${fragment}` : undefined;
}

/** The path of the file of each page. */
function listPages(project: string): Map<string, string> {
  const files = readdirSync(join(project, 'docs')).filter((file) => file.endsWith('.md'));
  return new Map([
    [README, join(project, 'README.md')],
    ...files.map((file): [string, string] => [file.slice(0, -'.md'.length), join(project, 'docs', file)]),
  ]);
}

/** The folder that contains `docs`: the program is in a subfolder of the build or of the bundle. Undefined if there is none. */
function findProject(): string | undefined {
  for (let folder = dirname(process.argv[1] ?? ''), above = dirname(folder); folder !== above;) {
    if (existsSync(join(folder, 'docs', 'tables.md'))) return folder;
    [folder, above] = [above, dirname(above)];
  }
  return undefined;
}
