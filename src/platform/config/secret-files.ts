import { readFileSync, statSync } from 'node:fs';

/** The settings that a file may contain: `NAME_FILE` names it instead of `NAME`. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'CREDENTIAL_PEPPER',
  'ENCRYPTION_KEY',
  'S3_SECRET_ACCESS_KEY',
] as const;

const MAX_BYTES = 65_536;

interface SecretFiles {
  secrets: Record<string, string>;
  errors: string[];
}

/**
 * Reads the secrets whose files are named, such as those that Docker and Kubernetes mount.
 *
 * @param variables those that are set.
 * @returns the secrets by the name of their setting, and a line for each that is set twice or cannot be read. The line
 *   does not contain the name of an absent file, because it may be the secret itself, sent in the wrong setting.
 */
export function readSecretFiles(variables: Record<string, string | undefined>): SecretFiles {
  const secrets: Record<string, string> = {};
  const errors: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    const secret = variables[name] === undefined ? readSecret(file) : new Error(`must not be set if ${name} is set`);
    if (secret instanceof Error) errors.push(`${name}_FILE: ${secret.message}`);
    else secrets[name] = secret;
  }
  return { secrets, errors };
}

/** The content without its last line break, which editors and `echo` add; an error if there is none. */
function readSecret(file: string): string | Error {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) return new Error(`must name a file of at most ${MAX_BYTES} bytes`);
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return secret === '' ? new Error(`the file ${file} is empty`) : secret;
  } catch (error) {
    return new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
