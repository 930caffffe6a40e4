import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['clients', 'docs', 'examples', 'packages', 'src', 'test', 'tools'];

/** Paths of all Markdown files from the root of the repository. */
export const MARKDOWN_FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  ),
];

/** The documents in the folders of `docs`, without the index and the decision records. */
export const DOCUMENTS = MARKDOWN_FILES.filter((path) => /^docs\/(?!adr\/).*\//.test(path));

/** The names of the pages of the guide. */
export const PAGES = [
  'readme',
  'documents',
  'changelog',
  'contributing',
  'security-policy',
  'settings',
  'typescript-client',
  ...DOCUMENTS.map((path) => basename(path, '.md')),
];
