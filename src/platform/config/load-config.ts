import dotenv from 'dotenv';
import type { Config } from './config.js';
import { createConfig } from './create-config.js';
import { type Environment, parseEnvironment } from './environment.js';
import { resolveSecrets } from './generated-secrets.js';
import { findWarnings } from './warnings.js';

/**
 * Reads `.env`, if present, and the environment, which takes precedence.
 *
 * @throws {EnvironmentError}
 */
export async function loadConfig(defaults?: Partial<Environment>): Promise<Config> {
  dotenv.config({ quiet: true });
  const env = parseEnvironment(process.env, defaults);
  return createConfig(env, await resolveSecrets(env), findWarnings(env, process.env));
}
