import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, EnvironmentError } from './environment.js';

/** What protects stored credentials and keys. 256 bits each. */
export interface Secrets {
  /** Key of the HMAC under which client secrets and API keys are stored. */
  readonly pepper: Buffer;
  /** Key under which the private signing keys are encrypted. */
  readonly encryptionKey: Buffer;
}

interface SecretsFile {
  pepper: string;
  encryptionKey: string;
}

/**
 * The secrets of the settings; where they are not set, throw-away ones that are made once and kept in
 * `DATA_DIR/secrets.json` (mode 0600), so that a developer needs no settings at all.
 *
 * @throws {EnvironmentError} in production, which must not run on secrets nobody keeps, naming what is missing.
 */
export function resolveSecrets(env: Environment): Secrets {
  const missing = (['CREDENTIAL_PEPPER', 'ENCRYPTION_KEY'] as const).filter((name) => !env[name]);
  if (missing.length > 0 && env.NODE_ENV === 'production') {
    throw new EnvironmentError(
      missing.map(
        (name) => `${name}: must be set in production (64 hexadecimal digits, as \`openssl rand -hex 32\` prints them)`,
      ),
    );
  }
  const kept = missing.length > 0 ? throwAwaySecrets(env.DATA_DIR) : undefined;
  return {
    pepper: Buffer.from(env.CREDENTIAL_PEPPER ?? kept!.pepper, 'hex'),
    encryptionKey: Buffer.from(env.ENCRYPTION_KEY ?? kept!.encryptionKey, 'hex'),
  };
}

function throwAwaySecrets(dataDir: string): SecretsFile {
  const file = join(dataDir, 'secrets.json');
  try {
    return read(file);
  } catch {
    mkdirSync(dataDir, { recursive: true });
    const fresh: SecretsFile = {
      pepper: randomBytes(32).toString('hex'),
      encryptionKey: randomBytes(32).toString('hex'),
    };
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600 });
    try {
      // A link fails where the file has come to exist: of two processes that start at once, one makes the secrets.
      linkSync(draft, file);
    } catch {
      // The other process was first: its secrets are read below.
    } finally {
      rmSync(draft, { force: true });
    }
    return read(file);
  }
}

function read(file: string): SecretsFile {
  return JSON.parse(readFileSync(file, 'utf8')) as SecretsFile;
}
