import { dirname, join } from 'node:path';
import type { Token } from 'marked';
import { GUIDE_STYLE } from './guide-style.js';
import { HeadingAnchors } from './heading-anchors.js';

/** A file of the guide. */
export interface GuideFile {
  /** The last part of the address, such as `tables`. */
  name: string;
  /** Absolute. */
  path: string;
  /** The first heading. */
  title: string;
}

/** An image in `docs/images`. */
const IMAGE_LINK = /^(?:docs\/)?(images\/[\w-]+\.svg)$/;

/** The HTML of a file. @param files all pages, for the navigation and the links. */
export async function renderGuidePage(path: string, markdown: string, files: readonly GuideFile[]): Promise<string> {
  // Loaded with the first page that is read.
  const { Marked } = await import('marked');
  const anchors = new HeadingAnchors();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const anchor = anchors.next(toPlainText(tokens));
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = toTarget(href, path, files);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      image({ href, text }) {
        const [, source] = IMAGE_LINK.exec(href) ?? [];
        return source === undefined ? text : `<img src="${source}" alt="${text}">`;
      },
    },
  });
  const title = files.find((file) => file.path === path)!.title;
  const links = files.map(
    (file) => `<a href="${file.name}"${file.path === path ? ' aria-current="page"' : ''}>${file.title}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Atrium</title>
<style>${GUIDE_STYLE}</style>
</head>
<body>
<nav aria-label="Guide"><a href="../docs">Swagger UI</a>${links.join('')}</nav>
<main>${await marked.parse(markdown)}</main>
</body>
</html>
`;
}

/** The text of a heading without its formatting. */
function toPlainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? toPlainText(token.tokens) : textOf(token)))
    .join('');
}

function textOf(token: Token): string {
  return 'text' in token ? String(token.text) : token.raw;
}

/** The address of a link in the file `path`; undefined if it names a file of the repository that is not a page. */
function toTarget(href: string, path: string, files: readonly GuideFile[]): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [target = '', fragment] = href.split('#');
  const page = files.find((file) => file.path === join(dirname(path), target));
  return page && (fragment === undefined ? page.name : `${page.name}#${fragment}`);
}
