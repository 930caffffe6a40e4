import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The bundles of `packages/pages`: next to `dist/src`, in which the program is. */
const folder = join(dirname(process.argv[1] ?? ''), '..', 'pages');

/** Were the pages built? */
export function hasBundles(): boolean {
  return existsSync(join(folder, 'app.js'));
}

export function readBundle(name: 'app.js' | 'docs.js' | 'guide.js' | 'workbook-reader.js'): Promise<string> {
  return readFile(join(folder, name), 'utf8');
}
