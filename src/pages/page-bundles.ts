import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ServedText } from './served-text.js';

/** The files that `packages/pages/build.mjs` creates. */
type Bundle =
  | 'app.js'
  | 'docs.css'
  | 'docs.js'
  | 'guide.css'
  | 'guide.js'
  | 'issuer-session.js'
  | 'start.css'
  | 'tables.css'
  | 'workbook-reader.js';

/** `dist/pages`. */
const folder = join(import.meta.dirname, '../../pages');

/** Were the pages built? */
export function hasBundles(): boolean {
  return existsSync(join(folder, 'app.js'));
}

/** @param replace changes the text. */
export async function readBundle(name: Bundle, replace = (text: string) => text): Promise<ServedText> {
  const type = extname(name) === '.css' ? 'text/css' : 'text/javascript';
  return new ServedText(replace(await readFile(join(folder, name), 'utf8')), `${type}; charset=utf-8`);
}

/** @param parts what the bundle loads when it needs it, by name; their URLs contain their versions. */
export function readBundleWith(name: Bundle, parts: Record<string, ServedText>): Promise<ServedText> {
  return readBundle(name, (text) =>
    Object.entries(parts).reduce((changed, [part, { version }]) => {
      return changed.replace(`./${part}`, `./${part}?v=${version}`);
    }, text),
  );
}

/**
 * Creates a value by the first request that needs it, and again after a failure.
 *
 * @param isFixed false: by each request. In development, `npm run start:dev` bundles the pages again.
 */
export function createOnce<T>(create: () => T | Promise<T>, isFixed = true): () => Promise<T> {
  let created: Promise<T> | undefined;
  return async () => {
    created = isFixed && created ? created : Promise.resolve(create());
    try {
      return await created;
    } catch (error) {
      created = undefined;
      throw error;
    }
  };
}
