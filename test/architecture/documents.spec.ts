import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { HeadingAnchors } from '../../src/pages/guide/heading-anchors.js';
import { DOCUMENTS, MARKDOWN_FILES } from '../support/documents.js';
import { expectNone } from '../support/for-each.js';
import { listMissing } from '../support/named-code.js';
import { ROOT } from '../support/service.js';
import { findUnknownCommands } from './documented-commands.js';

const FOLDERS = ['clients', 'docs', 'examples', 'packages', 'src', 'test', 'tools'];
const read = (document: string): string => readFileSync(join(ROOT, document), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of the headings of a document, without formatting. */
function anchorsOf(document: string): string[] {
  const anchors = new HeadingAnchors();
  const plain = (heading: string) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return [...read(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchors.next(plain(heading!)));
}

/** Why the target of a link does not exist; undefined if it does. */
function findProblem(document: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : normalize(join(dirname(document), decodeURIComponent(path)));
  if (!existsSync(join(ROOT, file))) return `${document}: ${target} does not exist`;
  if (anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor)) return undefined;
  return `${document}: ${relative('.', file)} has no heading #${anchor}`;
}

describe('links of documents', () => {
  it('lead to files and headings that exist', () => {
    const links = MARKDOWN_FILES.flatMap((document) =>
      [...read(document).matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map(([, target]) => [document, target!] as const),
    );
    expect(links.length).toBeGreaterThan(200);
    const local = links.filter(([, target]) => !/^(https?|mailto):/.test(target));
    expectNone(
      local.flatMap(([document, target]) => findProblem(document, target) ?? []),
      'Correct the links.',
    );
  });

  it('of comments lead to files and headings that exist', () => {
    const links = FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|mjs)$/.test(name) && !/node_modules|\/(dist|generated|compiled)\//.test(name))
        .flatMap((name) => [
          ...readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md(#[\w-]+)?/g),
        ])
        .map(([target]) => target),
    );
    expect(links.length).toBeGreaterThan(20);
    expectNone(
      [...new Set(links)].flatMap((target) => findProblem('README.md', target) ?? []),
      'Correct the links of the comments.',
    );
  });

  it('reach every document from the index, by its title, and the index from the README', () => {
    const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
    expect(DOCUMENTS.length).toBeGreaterThan(10);
    const findTitle = (document: string) => /^# (.+)$/m.exec(read(document))![1]!;
    expectNone(
      DOCUMENTS.filter((document) => !index.includes(`[${findTitle(document)}](${relative('docs', document)})`)),
      'Add a link with the title of the document to docs/README.md.',
    );
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/README.md)');
  });

  it('have unique names of documents, which are the addresses of their pages', () => {
    const names = DOCUMENTS.map((document) => basename(document));
    expectNone(
      names.filter((name, position) => names.indexOf(name) < position),
      'Give the document another name.',
    );
  });
});

it('documents name their readers in their first sentence', () => {
  const pages = MARKDOWN_FILES.filter((document) => !/^docs\/adr\/|^test\//.test(document));
  expectNone(
    pages.filter(
      (page) => !/^# .+\n\nFor (all readers|[^:\n]*(integrators|operators|engineers)[^:\n]*): /.test(read(page)),
    ),
    'Begin the text below the title with its readers and what it gives them, such as "For operators: how to …".',
  );
});

it('documents name only files and classes that exist', () => {
  // The changelog names what was removed, and adr.spec.ts checks the decision records.
  const current = MARKDOWN_FILES.filter((document) => document !== 'CHANGELOG.md' && !/^docs\/adr\/\d/.test(document));
  const findMissing = (document: string) =>
    listMissing(read(document), dirname(document)).map((name) => `${document}: ${name}`);
  expectNone(current.flatMap(findMissing), 'Write the present name, or text without backticks.');
});

it('documents name only scripts of npm, commands and flags that exist', () => {
  expectNone(
    MARKDOWN_FILES.flatMap((document) =>
      findUnknownCommands(readFileSync(join(ROOT, document), 'utf8')).map((found) => `${document}: ${found}`),
    ),
    'Correct the command.',
  );
});

describe('tables of examples', () => {
  it('have different names in the demo, in Swagger UI, in `npm run example` and in the guides', () => {
    const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');
    const names = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name]) => name!));
    const blocks = ['README.md', ...DOCUMENTS]
      .filter((document) => !document.includes('migrating'))
      .flatMap((document) => [...source(document).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!));
    const groups = {
      demo: names(source('src/modules/demo/demo-plant.ts'), /name: '(Demo [^']+)'/g),
      swagger: names(source('openapi.json'), /"(Example [^"]+)"/g),
      example: names(source('examples/plant.ts'), /buildTable\('\w+', '([^']+)'/g),
      guides: names(blocks.join('\n'), /"name": "([^"]+)",\s+"(?:columns|items)"/g),
    };
    for (const [group, found] of Object.entries(groups)) expect([group, found.size > 1]).toEqual([group, true]);
    const all = Object.values(groups).flatMap((group) => [...group]);
    expectNone(
      all.filter((name, index) => all.indexOf(name) < index),
      'Give the table of the example a name of its own: readers run several examples on one workspace.',
    );
  });
});
