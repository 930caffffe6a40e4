import { readFile } from 'node:fs/promises';

/**
 * Credentials as the service writes them on its first start, for the demo workspace. In production the operator issues
 * them.
 */
export interface Credentials {
  baseUrl: string;
  workspaceId: string;
  clientId: string;
  clientSecret: string;
}

/** An error that the user can correct: only its message is printed. All other errors are printed with their stack. */
export class UsageError extends Error {}

/** @throws {UsageError} if the file is missing or invalid. */
export async function readCredentials(file: string): Promise<Credentials> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `Cannot read the credentials in ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)}).\n` +
        'The service writes the file on its first start: run `npm start` in another terminal, then try again.\n' +
        'If the service uses another DATA_DIR, set DATA_DIR or pass --credentials FILE.',
    );
  });
  const { baseUrl, workspaceId, clientId, clientSecret } = parse(text, file);
  if (!baseUrl || !workspaceId || !clientId || !clientSecret) {
    throw new UsageError(`${file} must contain baseUrl, workspaceId, clientId and clientSecret.`);
  }
  return { baseUrl: baseUrl.replace(/\/+$/, ''), workspaceId, clientId, clientSecret };
}

function parse(text: string, file: string): Partial<Credentials> {
  try {
    return JSON.parse(text) as Partial<Credentials>;
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
}
