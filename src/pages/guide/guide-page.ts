import { dirname, join } from 'node:path';
import type { Token } from 'marked';
import type { GuideFile } from './guide-files.js';
import { HeadingAnchors } from './heading-anchors.js';
import { escapeHtml, highlight } from './highlight.js';
import type { GuideSection } from '../../../packages/pages/src/guide/guide-section.js';

/** The address of a first start, by which documents name pages and files that every instance has. */
const FIRST_START = 'http://localhost:3000/';

/** An image in `docs/images`. */
const IMAGE_LINK = /^(?:docs\/)?(images\/[\w-]+\.svg)$/;

/** Levels of the headings in the contents of a page. */
const CONTENTS_LEVELS = [2, 3];

/** Languages of blocks that are tabs if several blocks follow each other. */
const TAB_LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sh: 'curl',
    ts: 'TypeScript',
    python: 'Python',
    csharp: 'C#',
    java: 'Java',
  }),
);

const LANGUAGE_BLOCKS = /(?:<pre tabindex="0" data-language[^>]*>(?:(?!<pre)[\s\S])*?<\/pre>\n){2,}/g;

interface Heading {
  anchor: string;
  depth: number;
  text: string;
}

/** The HTML of a file. @param files all pages, for the navigation and the links. */
export async function renderGuidePage(file: GuideFile, markdown: string, files: readonly GuideFile[]): Promise<string> {
  // Loaded with the first page that is read.
  const { Marked, Renderer } = await import('marked');
  const anchors = new HeadingAnchors();
  const headings: Heading[] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = toPlainText(tokens);
        const anchor = anchors.next(text);
        headings.push({ anchor, depth, text });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const label = TAB_LABELS.get(lang);
        const attributes = label ? ` data-language="${lang}" data-label="${label}"` : '';
        return `<pre tabindex="0"${attributes}><code>${highlight(text, lang)}</code></pre>\n`;
      },
      // Wide tables and long lines scroll, also by the keyboard.
      table(token) {
        return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = toTarget(href, file.path, files);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      image({ href, text }) {
        const [, source] = IMAGE_LINK.exec(href) ?? [];
        return source === undefined ? text : `<img src="${source}" alt="${text}">`;
      },
    },
  });
  const content = groupLanguages(await marked.parse(toMarkdown(file, markdown)));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(file.title)} – Atrium</title>
<link rel="icon" type="image/png" href="../favicon.ico">
<link rel="stylesheet" href="guide.css">
<script src="guide.js" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="brand" href="readme">Atrium guide</a>
<form role="search" hidden>
<input type="search" placeholder="Search the guide" aria-label="Search the guide" autocomplete="off">
<ul aria-label="Results" aria-live="polite" hidden></ul>
</form>
<nav aria-label="Documents"><a href="../docs">Swagger UI</a><a href="../tables">Tables</a><a href="../openapi.json">openapi.json</a></nav>
</header>
<div class="columns">
<details class="pages" open><summary>Pages</summary><nav aria-label="Guide">${renderNavigation(file, files)}</nav></details>
<main id="text" tabindex="-1">
<form class="own" hidden>
<label>Workspace in the commands <input name="workspace" list="workspaces" placeholder="ID of your workspace"></label>
<datalist id="workspaces"></datalist>
</form>
${content}
${renderNeighbours(file, files)}
</main>
<nav class="contents" aria-label="On this page">${renderContents(headings)}</nav>
</div>
</body>
</html>
`;
}

/** Puts blocks that follow each other into one element. The browser makes tabs of them. */
function groupLanguages(html: string): string {
  return html.replace(LANGUAGE_BLOCKS, (blocks) => `<div class="languages">${blocks}</div>\n`);
}

/** The sections of a file, as the search finds them. */
export async function listSections(file: GuideFile, markdown: string): Promise<GuideSection[]> {
  const { Marked } = await import('marked');
  const anchors = new HeadingAnchors();
  const { name: page, title } = file;
  const sections: GuideSection[] = [];
  for (const token of new Marked({ gfm: true }).lexer(toMarkdown(file, markdown))) {
    if (token.type === 'heading') {
      const heading = toPlainText((token as { tokens: Token[] }).tokens);
      sections.push({ page, title, heading, anchor: anchors.next(heading), text: '' });
    } else if (sections.length > 0) sections.at(-1)!.text += `${toText(token)} `.replace(/\s+/g, ' ');
  }
  return sections;
}

/** A file with settings is a page with one block of code. */
function toMarkdown({ path, title }: GuideFile, content: string): string {
  return path.endsWith('.md') ? content : `# ${title}\n\n\`\`\`yaml\n${content}\n\`\`\`\n`;
}

function renderNavigation(current: GuideFile, files: readonly GuideFile[]): string {
  const groups = [...new Set(files.map(({ group }) => group))];
  return groups
    .map((group) => {
      const links = files
        .filter((file) => file.group === group)
        .map(({ name, title }) => {
          const mark = name === current.name ? ' aria-current="page"' : '';
          return `<li><a href="${name}"${mark}>${escapeHtml(title)}</a></li>`;
        });
      return `<h2>${group}</h2><ul>${links.join('')}</ul>`;
    })
    .join('');
}

function renderContents(headings: readonly Heading[]): string {
  const links = headings
    .filter(({ depth }) => CONTENTS_LEVELS.includes(depth))
    .map(({ anchor, depth, text }) => `<li class="level-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`);
  return links.length > 1 ? `<h2>On this page</h2><ul>${links.join('')}</ul>` : '';
}

function renderNeighbours(current: GuideFile, files: readonly GuideFile[]): string {
  const index = files.findIndex(({ name }) => name === current.name);
  const link = (file: GuideFile | undefined, rel: string, label: string) =>
    file
      ? `<a rel="${rel}" href="${file.name}"><small>${label}</small> ${escapeHtml(file.title)}</a>`
      : '<span></span>';
  const previous = link(files[index - 1], 'prev', 'Previous');
  return `<nav class="neighbours" aria-label="Next and previous">${previous}${link(files[index + 1], 'next', 'Next')}</nav>`;
}

/** The parts of a token; those of its kind are present. */
interface TokenParts {
  type?: string;
  /** The items of a list. */
  items?: TokenParts[];
  /** The header of a table, whose cells also have this property. */
  header?: unknown;
  rows?: TokenParts[][];
  tokens?: TokenParts[];
}

/** The text of a block without its formatting. */
function toText(token: TokenParts): string {
  const { type, items, header, rows, tokens } = token;
  if (type === 'html') return '';
  const parts = items ?? (rows && [...(header as TokenParts[]), ...rows.flat()]);
  if (parts) return parts.map(toText).join(' ');
  if (!tokens) return textOf(token as Token);
  // Items of lists and quotations consist of blocks.
  return tokens.map(toText).join(type === 'list_item' || type === 'blockquote' ? ' ' : '');
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
  if (href.startsWith(FIRST_START)) return `../${href.slice(FIRST_START.length)}`;
  if (/^(https?:|#)/.test(href)) return href;
  const [target = '', fragment] = href.split('#');
  const page = files.find((file) => file.path === join(dirname(path), target));
  return page && (fragment === undefined ? page.name : `${page.name}#${fragment}`);
}
