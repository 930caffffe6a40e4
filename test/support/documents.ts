import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all documents from the root of the repository, without the index and the decision records. */
export const DOCUMENTS = readdirSync(join(__dirname, '../../docs'), { encoding: 'utf8', recursive: true })
  .filter((file) => /^(?!adr\/).*\/.*\.md$/.test(file))
  .map((file) => `docs/${file}`);
