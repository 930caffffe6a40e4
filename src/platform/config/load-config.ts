import dotenv from 'dotenv';
import { Config } from './config.js';
import { type Environment, parseEnvironment } from './environment.js';
import { resolveSecrets } from './generated-secrets.js';

/**
 * Reads `.env`, if present, and the environment, which takes precedence.
 *
 * @throws {EnvironmentError}
 */
export function loadConfig(defaults?: Partial<Environment>): Config {
  dotenv.config({ quiet: true });
  const env = parseEnvironment(process.env, defaults);
  return new Config(env, resolveSecrets(env));
}
