/**
 * Bundles the code of the pages with its packages, and their style sheets, into `dist/pages`, which the service serves:
 * the table browser (`/tables`) with the reader of workbooks, the plugin of Swagger UI (`/docs`), the guide (`/guide`),
 * and the sign-in at issuers. The pages load the reader and the sign-in when they need them. Types are checked by
 * `npm run typecheck`.
 */
import { mkdirSync, readFileSync, watch as watchFiles, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rejectUnresolved } from '../../clients/build/reject-unresolved.mjs';

const SOURCES = join('packages', 'pages', 'src');
const OUTPUT = join('dist', 'pages');
/** What a page loads when it needs it. */
const PARTS = ['./issuer-session.js', './workbook-reader.js'];

const describeBundle = (input, file, format = 'iife') => ({
  input: join(SOURCES, input),
  platform: 'browser',
  external: PARTS,
  // As they are written: all bundles are in one folder.
  makeAbsoluteExternalsRelative: false,
  resolve: { alias: { '@atrium/client': join(process.cwd(), 'clients/typescript/src/client.ts') } },
  transform: { target: 'es2022', jsx: { runtime: 'automatic' } },
  onLog: rejectUnresolved,
  output: { file: join(OUTPUT, file), format, minify: true, sourcemap: false },
});

const BUNDLES = [
  describeBundle('tables/app.tsx', 'app.js', 'esm'),
  describeBundle('tables/workbook-reader.ts', 'workbook-reader.js', 'esm'),
  describeBundle('sign-in/issuer-session.ts', 'issuer-session.js', 'esm'),
  describeBundle('docs/page.ts', 'docs.js'),
  describeBundle('guide/guide.ts', 'guide.js'),
];

/** The style sheets with the files that they consist of. */
const STYLES = {
  'docs.css': ['docs/docs.css'],
  'guide.css': ['base.css', 'guide/guide.css'],
  'start.css': ['base.css', 'start/start.css'],
  'tables.css': ['base.css', 'tables/tables.css'],
};

function buildStyles() {
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, parts] of Object.entries(STYLES))
    writeFileSync(join(OUTPUT, name), parts.map((part) => readFileSync(join(SOURCES, part), 'utf8')).join(''));
}

export async function buildPages() {
  buildStyles();
  // Loaded only if needed, because rolldown is not fast to load.
  const { build } = await import('rolldown');
  await build(BUNDLES);
}

/** Bundles again after each change, and prints errors, until `close` of the result is called. */
export async function watchPages() {
  const { watch } = await import('rolldown');
  const watcher = watch(BUNDLES);
  watcher.on('event', ({ code, error }) => {
    if (code === 'ERROR') process.stderr.write(`${error.message}\n`);
  });
  const styles = watchFiles(SOURCES, { recursive: true }, (_, name) => {
    try {
      if (name?.endsWith('.css')) buildStyles();
    } catch (error) {
      // An editor may replace the file at this moment: it is then read at the next event.
      process.stderr.write(`${error.message}\n`);
    }
  });
  return { close: () => Promise.all([watcher.close(), styles.close()]) };
}
