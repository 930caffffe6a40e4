/**
 * Generates the types of the TypeScript client from openapi.json.
 *
 *     node tools/generate-client-types.mjs [--check]     --check compares them with the committed file and writes nothing
 */
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const FILE = 'clients/typescript/src/openapi-types.ts';

const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const types = `// Generated from openapi.json by tools/generate-client-types.mjs (npm run openapi).\n\n${astToString(await openapiTS(document, { defaultNonNullable: false }))}`;
if (!process.argv.includes('--check')) writeFileSync(FILE, types);
else if (readFileSync(FILE, 'utf8') !== types) {
  process.stderr.write(`${FILE} is older than openapi.json. Run \`npm run openapi\` and commit it.\n`);
  process.exitCode = 1;
}
