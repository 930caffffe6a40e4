import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secrets } from './config.js';
import { requireDataDirectory, unwritableError } from './data-directory.js';
import type { Environment } from './environment.js';
import { EnvironmentError } from './environment-error.js';
import { parseStoredJson } from '../../../packages/sql/src/stored-json.js';

interface SecretsFile {
  pepper: string;
  encryptionKey: string;
}

/**
 * Returns the secrets of the settings. In development absent ones are generated once and stored in
 * `DATA_DIR/secrets.json` (mode 0600); in production `parseEnvironment` requires them.
 *
 * @throws {EnvironmentError} if the file is invalid.
 */
export async function resolveSecrets(env: Environment): Promise<Secrets> {
  const isComplete = env.CREDENTIAL_PEPPER !== undefined && env.ENCRYPTION_KEY !== undefined;
  const generated = isComplete ? undefined : await readOrGenerate(env.DATA_DIR);
  return {
    pepper: Buffer.from(env.CREDENTIAL_PEPPER ?? generated!.pepper, 'hex'),
    encryptionKey: Buffer.from(env.ENCRYPTION_KEY ?? generated!.encryptionKey, 'hex'),
  };
}

async function readOrGenerate(dataDir: string): Promise<SecretsFile> {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) await generate(dataDir, file);
  return read(file);
}

async function generate(dataDir: string, file: string): Promise<void> {
  await requireDataDirectory(dataDir);
  const secrets: SecretsFile = {
    pepper: randomBytes(32).toString('hex'),
    encryptionKey: randomBytes(32).toString('hex'),
  };
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    // Fails if the file exists by now: of two processes that start at once, one generates the secrets.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritableError(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Secrets are never generated again: what the lost ones protect could not be read with others. */
function read(file: string): SecretsFile {
  try {
    const content = parseStoredJson(readFileSync(file, 'utf8')) as Partial<SecretsFile> | null;
    const { pepper, encryptionKey } = content ?? {};
    if (isKey(pepper) && isKey(encryptionKey)) return { pepper, encryptionKey };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code) throw new EnvironmentError([`DATA_DIR: ${file} cannot be read (${code})`]);
  }
  throw new EnvironmentError([
    `DATA_DIR: ${file} must contain "pepper" and "encryptionKey" with 64 hexadecimal digits each. Restore the file from a backup.`,
  ]);
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value);
}
