import dotenv from 'dotenv';
import { Config } from './config.js';
import { findDataDirectoryErrors, requireDatabase } from './data-directory.js';
import { type Environment, environmentSchema, parseEnvironment } from './environment.js';
import { resolveSecrets } from './generated-secrets.js';
import { findWarnings } from './warnings.js';

interface LoadOptions {
  /** Replace the defaults of the settings. */
  defaults?: Partial<Environment>;
  /** Must the process be able to write to DATA_DIR, whatever the other settings are? */
  requiresDataDir?: boolean;
  /** Must there be a database? Without DATABASE_URL, DATA_DIR contains it after the first start of the service. */
  requiresDatabase?: boolean;
}

/**
 * Reads `.env`, if present, and the environment, which takes precedence.
 *
 * @throws {EnvironmentError}
 */
export async function loadConfig(options: LoadOptions = {}): Promise<Config> {
  const { defaults, requiresDataDir = false, requiresDatabase = false } = options;
  dotenv.config({ quiet: true });
  const dataDir = environmentSchema.shape.DATA_DIR.parse(process.env['DATA_DIR'] || undefined);
  const dataDirErrors = requiresDataDir ? await findDataDirectoryErrors(dataDir) : [];
  const env = parseEnvironment(process.env, defaults, dataDirErrors);
  if (requiresDatabase && !env.DATABASE_URL) await requireDatabase(env.DATA_DIR);
  return new Config(env, await resolveSecrets(env), findWarnings(env));
}
