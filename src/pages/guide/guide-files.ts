import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of the guide. */
export interface GuideFile {
  /** The last part of the address, such as `tables`. */
  name: string;
  /** Absolute. */
  path: string;
  /** The first heading. */
  title: string;
  /** The heading of its group in the navigation, such as `Integrate`. */
  group: string;
}

/** The page with the README, which is the first one. */
export const README = 'readme';

const INDEX = 'docs/README.md';

/** The names of pages outside the folders of `docs`. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'README.md': README,
    [INDEX]: 'documents',
    'clients/typescript/README.md': 'typescript-client',
    'CONTRIBUTING.md': 'contributing',
    '.env.example': 'settings',
    'SECURITY.md': 'security-policy',
    'CHANGELOG.md': 'changelog',
  }),
);

/**
 * All pages in the order of the navigation: the README, the index of the documents, and what the index lists, by its
 * sections. An image that lacks a file shows links to it as texts.
 */
export function listGuideFiles(project: string): GuideFile[] {
  const [, ...sections] = readFileSync(join(project, INDEX), 'utf8').split(/^## /m);
  const listed = sections.flatMap((section) => {
    const group = section.slice(0, section.indexOf('\n'));
    return [...section.matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \|/gm)].map(([, link]) => ({
      path: join(dirname(INDEX), link!),
      group,
    }));
  });
  const first = ['README.md', INDEX].map((path) => ({ path, group: listed[0]!.group }));
  return [...first, ...listed].flatMap(({ path, group }) => {
    const name = findName(path);
    const file = join(project, path);
    if (name === undefined || !existsSync(file)) return [];
    return [{ name, path: file, group, title: findTitle(file) ?? name }];
  });
}

/** The decision records are not pages. */
function findName(path: string): string | undefined {
  return NAMES.get(path) ?? /^docs\/(?!adr\/)[\w-]+\/([\w-]+)\.md$/.exec(path)?.[1];
}

function findTitle(path: string): string | undefined {
  if (!path.endsWith('.md')) return 'Settings';
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/** The folder that contains `docs` and the build. Undefined if there is none. */
export function findProject(): string | undefined {
  for (let folder = import.meta.dirname, above = dirname(folder); folder !== above;) {
    if (existsSync(join(folder, 'docs', 'README.md'))) return folder;
    [folder, above] = [above, dirname(above)];
  }
  return undefined;
}
