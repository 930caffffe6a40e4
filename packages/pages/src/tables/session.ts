import { AtriumClient } from '@atrium/client';
import type { IssuerSession } from '../sign-in/issuers.js';

/** What a tab of the browser stores: neither a client secret nor a refresh token. */
type StoredCredentials = { accessToken: string } | { apiKey: string };

export type Credentials = StoredCredentials | { tokenSource: IssuerSession };

/** The credentials of the demo, which the service returns only to a browser on its own machine. */
interface DemoCredentials {
  clientId: string;
  clientSecret: string;
}

interface TokenAnswer {
  access_token?: string;
  error?: string;
  error_description?: string;
  message?: string;
}

/**
 * What the page reads and changes, and the names of users in the changes of a row: the first that the client has. Each
 * attempt counts for the rate limit of sign-ins, so there are two.
 */
const SCOPES = ['write:workspaces read:users', 'read:workspaces'];

const STORED = 'atrium-tables';
const MAX_ATTEMPTS = 3;

/** The address of the service: the page is at `/tables`, or below the prefix that a proxy adds. */
export const SERVICE_URL = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** Without credentials of the browser, which would open its own prompt after a wrong client secret. */
const fetchWithoutPrompt: typeof fetch = (request, init) => fetch(request, { ...init, credentials: 'omit' });

/** The token endpoint rejected the client. */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  constructor(
    message: string,
    readonly status: number,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** @param onRejected is called when the service rejects the credentials */
export function createClient(credentials: Credentials, workspaceId?: string, onRejected?: () => void): AtriumClient {
  return new AtriumClient({
    ...credentials,
    workspaceId,
    baseUrl: SERVICE_URL,
    maxAttempts: MAX_ATTEMPTS,
    fetch: async (request, init) => {
      const response = await fetchWithoutPrompt(request, init);
      if (response.status === 401) onRejected?.();
      return response;
    },
  });
}

/** Begins a session without a refresh token, for tables and notes only. @throws {SignInError} */
export async function signIn(clientId: string, clientSecret: string): Promise<Credentials> {
  const client = { client_id: clientId, client_secret: clientSecret };
  for (const scope of SCOPES) {
    const { answer, response } = await requestToken({ ...client, scope });
    if (answer.access_token !== undefined) return { accessToken: answer.access_token };
    if (answer.error === 'invalid_scope' && scope !== SCOPES.at(-1)) continue;
    const message = answer.error_description ?? answer.message ?? response.statusText;
    throw new SignInError(message, response.status, response.headers.get('x-request-id') ?? undefined);
  }
  throw new Error('The client has no scope for tables.');
}

async function requestToken(parameters: Record<string, string>): Promise<{ answer: TokenAnswer; response: Response }> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  const response = await fetchWithoutPrompt(`${SERVICE_URL}/v1/api/oauth2/token`, { method: 'POST', body });
  return { answer: (await response.json()) as TokenAnswer, response };
}

/** @returns undefined if the service has no demo workspace, or the browser is on another machine. */
export async function findDemo(): Promise<DemoCredentials | undefined> {
  const response = await fetchWithoutPrompt(`${SERVICE_URL}/docs/demo`);
  return response.status === 200 ? ((await response.json()) as DemoCredentials) : undefined;
}

/** Ends the session of an access token, or at its issuer. Its failure does not matter: the token expires. */
export async function signOut(credentials: Credentials): Promise<void> {
  storeCredentials(undefined);
  if ('tokenSource' in credentials) await credentials.tokenSource.signOut();
  if ('accessToken' in credentials)
    await createClient(credentials)
      .request('POST', '/v1/api/oauth2/logout')
      .catch(() => undefined);
}

/** The storage of the tab ends with the tab. Nothing of a sign-in at an issuer is stored. */
export function storeCredentials(credentials: Credentials | undefined): void {
  if (credentials && !('tokenSource' in credentials)) sessionStorage.setItem(STORED, JSON.stringify(credentials));
  else sessionStorage.removeItem(STORED);
}

export function loadCredentials(): Credentials | undefined {
  const stored = sessionStorage.getItem(STORED);
  return stored === null ? undefined : (JSON.parse(stored) as StoredCredentials);
}
