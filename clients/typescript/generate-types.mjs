/**
 * Generates `src/openapi-types.ts` from the OpenAPI document of the repository, if the document is newer. It is the
 * `prepare` script of the client, which npm executes after `npm ci` and before `npm pack`; `npm run typecheck`,
 * `npm run lint` and `npm run openapi` execute it, too
 * (docs/adr/0068-generate-client-types-and-write-its-behavior.md).
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCUMENT = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const TYPES = fileURLToPath(new URL('src/openapi-types.ts', import.meta.url));

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** A production install has no generator, and an image no document. They run the build, which needs no types. */
async function loadGenerator() {
  try {
    return await import('openapi-typescript');
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

const generator = timeOf(DOCUMENT) > timeOf(TYPES) ? await loadGenerator() : undefined;
if (generator) {
  const nodes = await generator.default(JSON.parse(readFileSync(DOCUMENT, 'utf8')), { defaultNonNullable: false });
  // Two commands may generate at the same time.
  const draft = `${TYPES}.${process.pid}.tmp`;
  writeFileSync(draft, `// Generated from openapi.json by generate-types.mjs.\n\n${generator.astToString(nodes)}`);
  renameSync(draft, TYPES);
}
