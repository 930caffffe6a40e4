import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The groups of the navigation, by reader. */
export const GUIDE_GROUPS = ['Start', 'Integrate', 'Extend', 'Operate', 'Reference'] as const;
export type GuideGroup = (typeof GUIDE_GROUPS)[number];

/** A file of the guide. */
export interface GuideFile {
  /** The last part of the address, such as `tables`. */
  name: string;
  /** Absolute. */
  path: string;
  /** The first heading. */
  title: string;
  group: GuideGroup;
}

/** The page with the README, which is the first one. */
export const README = 'readme';

/** Files outside `docs` to which the README links. An image that lacks one shows its links as texts. */
const OTHER_FILES: readonly Omit<GuideFile, 'title'>[] = [
  { name: README, path: 'README.md', group: 'Start' },
  { name: 'typescript-client', path: 'clients/typescript/README.md', group: 'Integrate' },
  { name: 'contributing', path: 'CONTRIBUTING.md', group: 'Extend' },
  { name: 'settings', path: '.env.example', group: 'Operate' },
  { name: 'security-policy', path: 'SECURITY.md', group: 'Operate' },
  { name: 'changelog', path: 'CHANGELOG.md', group: 'Reference' },
  { name: 'documents', path: 'docs/README.md', group: 'Reference' },
];

/** All pages in the order of the navigation. The index of the documents names their kind and their readers. */
export function listGuideFiles(project: string): GuideFile[] {
  const index = readFileSync(join(project, 'docs/README.md'), 'utf8');
  const documents = index.split(/^## /m).flatMap((section) => {
    const [kind] = section.split('\n', 1);
    return [...section.matchAll(/^\| \[[^\]]+\]\((([\w-]+)\/([\w-]+)\.md)\) \| ([^|]+) \|/gm)]
      .filter(([, , folder]) => folder !== 'adr')
      .map(([, path, , name, readers]) => ({
        name: name!,
        path: `docs/${path!}`,
        group: findGroup(kind!, readers!),
      }));
  });
  return [...OTHER_FILES, ...documents]
    .map((file) => ({ ...file, path: join(project, file.path) }))
    .filter(({ path }) => existsSync(path))
    .map((file) => ({ ...file, title: findTitle(file.path) ?? file.name }))
    .sort((one, other) => GUIDE_GROUPS.indexOf(one.group) - GUIDE_GROUPS.indexOf(other.group));
}

function findGroup(kind: string, readers: string): GuideGroup {
  if (kind === 'Tutorials' || readers === 'all readers') return 'Start';
  if (kind === 'Reference') return 'Reference';
  if (/^(operators|auditors)/.test(readers)) return 'Operate';
  return readers.startsWith('developers of the service') ? 'Extend' : 'Integrate';
}

function findTitle(path: string): string | undefined {
  if (!path.endsWith('.md')) return 'Settings';
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/**
 * The folder that contains `docs`: the program is in a subfolder of the build or of the bundle. Undefined if there is
 * none.
 */
export function findProject(): string | undefined {
  for (let folder = dirname(process.argv[1] ?? ''), above = dirname(folder); folder !== above;) {
    if (existsSync(join(folder, 'docs', 'README.md'))) return folder;
    [folder, above] = [above, dirname(above)];
  }
  return undefined;
}
