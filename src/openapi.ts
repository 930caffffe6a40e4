import { readFileSync, writeFileSync } from 'node:fs';
import { buildApiDocument, createApplication } from './application.js';
import { Config } from './platform/config/config.js';
import { parseEnvironment } from './platform/config/environment.js';
import { formatDocument } from './api-docs/formatting.js';

/**
 * Writes openapi.json from the built service, with default settings and without a database. With `--check` it fails if
 * the committed file differs.
 */
const FILE = 'openapi.json';

const noSecrets = { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) };
const config = new Config(parseEnvironment({}), noSecrets);
const document = `${formatDocument(buildApiDocument(await createApplication(config), config))}\n`;

const isCurrent = readFileSync(FILE, 'utf8') === document;
if (!process.argv.includes('--check')) {
  // A file that is written again would be built again.
  if (!isCurrent) writeFileSync(FILE, document);
} else if (!isCurrent) {
  process.stderr.write('openapi.json differs from the code. Run `npm run openapi` and commit it.\n');
  process.exitCode = 1;
}
