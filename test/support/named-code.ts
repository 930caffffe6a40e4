import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './service.js';

const FOLDERS = [
  '.ci',
  'bench',
  'clients',
  'deploy',
  'docs',
  'examples',
  'migrations',
  'packages',
  'src',
  'test',
  'tools',
] as const;
const NOT_COMMITTED = /(?:^|\/)(?:node_modules|dist|generated|compiled)\//;
const FILE_NAME = /^[\w@.][\w@./-]*\.(ts|mjs|cjs|json|md|yaml)$/;
const PATH = new RegExp(`^(?:${FOLDERS.join('|').replaceAll('.', '\\.')})/[\\w./-]+$`);
/** A class or decorator, possibly with a member: `Jobs`, `@TableRef()`, `Database.retryOn`. */
const SYMBOL = /^@?([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:\.\w+)?(?:\(.*\))?$/;

const paths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
)
  .filter((path) => !NOT_COMMITTED.test(`${path}/`))
  .concat(readdirSync(ROOT));
/** Also the code in `docs/how-to/extending.md`, which names the classes of its example, and the names of schemas. */
const source = paths
  .filter((path) => /\.(ts|mjs)$|^openapi\.json$|^docs\/how-to\/extending\.md$/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

/**
 * Files that are not in the repository: what programs and readers write, and those of the example in
 * `docs/how-to/extending.md`.
 */
const WRITTEN = new RegExp(
  [
    ...['DATA_DIR/.*', 'summary\\.json', 'atrium\\.sync\\.yaml', 'jwks\\.json', 'src/openapi-types\\.ts'],
    ...['openapi-types\\.ts', '.*work-orders?[-./].*'],
  ]
    .map((pattern) => `^${pattern}$`)
    .join('|'),
);

function exists(quoted: string, folder: string): boolean {
  if (WRITTEN.test(quoted) || paths.includes(join(folder, quoted))) return true;
  if (PATH.test(quoted)) return paths.includes(quoted.replace(/\/$/, ''));
  if (FILE_NAME.test(quoted))
    return paths.some((path) => path === quoted || basename(path) === quoted || path.endsWith(`/${quoted}`));
  const [, symbol] = SYMBOL.exec(quoted) ?? [];
  return symbol === undefined || new RegExp(`\\b${symbol}`).test(source);
}

/**
 * @param folder of the document, to which the paths in it may be relative
 * @returns the files and classes that a document names in backticks and that the repository does not contain
 */
export function listMissing(markdown: string, folder: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  const quotes = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted!);
  return quotes.filter((quoted) => !exists(quoted, folder));
}
