/** Finds the documents in the folders of `docs`, one per kind. The names are unique. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all documents from the root of the repository, without the index and the decision records. */
export const DOCUMENTS = readdirSync(join(import.meta.dirname, '../docs'), { recursive: true })
  .filter((file) => /^(?!adr\/).*\/.*\.md$/.test(file))
  .map((file) => `docs/${file}`);

/** The path of the document with this name, such as `tables`. */
export function findDocument(name) {
  const document = DOCUMENTS.find((path) => path.endsWith(`/${name}.md`));
  if (!document) throw new Error(`No folder of docs contains ${name}.md.`);
  return document;
}
