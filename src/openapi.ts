import { readFileSync, writeFileSync } from 'node:fs';
import { Config } from './platform/config/config.js';
import { parseEnvironment } from './platform/config/environment.js';
import { buildDocument } from './platform/openapi/openapi.js';
import { createApplication } from './service.js';

/**
 * Writes `openapi.json` from the built service, with default settings and without a database; with `--check` it only
 * says whether the committed file is what would be written.
 */
const FILE = 'openapi.json';

const noSecrets = { pepper: Buffer.alloc(32), encryptionKey: Buffer.alloc(32) };
const config = new Config(parseEnvironment({}), noSecrets);
const app = await createApplication(config, false);
const document = `${JSON.stringify(buildDocument(app, config), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, document);
} else if (readFileSync(FILE, 'utf8') !== document) {
  process.stderr.write('openapi.json is not what the code says: run `npm run openapi` and commit it.\n');
  process.exitCode = 1;
}
