import { readFile } from 'node:fs/promises';

/** What the service writes on its first boot, for its demo workspace. In real life the operator hands these out. */
export interface Credentials {
  baseUrl: string;
  workspaceId: string;
  clientId: string;
  clientSecret: string;
}

/** A reason to stop that a sentence explains; the rest of the program's errors are bugs, and show their stack. */
export class UsageError extends Error {}

/** @throws {UsageError} where the file is not there, or is not what it should be. */
export async function readCredentials(file: string): Promise<Credentials> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `Cannot read the credentials in ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)}).\n` +
        'The service writes them on its first start: run `npm start` in another terminal, then try again.\n' +
        'If its DATA_DIR is elsewhere, set DATA_DIR here too, or name the file with --credentials FILE.',
    );
  });
  const { baseUrl, workspaceId, clientId, clientSecret } = parse(text, file);
  if (!baseUrl || !workspaceId || !clientId || !clientSecret) {
    throw new UsageError(`${file} must have baseUrl, workspaceId, clientId and clientSecret.`);
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
