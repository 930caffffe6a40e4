import type { PendingSignIn, SignInIssuer } from '../../../sign-in/src/issuer-client.js';
import type { IssuerSession } from './issuer-session.js';

export type { IssuerSession, SignInIssuer };

/** In the storage of the tab, from the start of a sign-in until the issuer returns. It contains no token. */
const PENDING = 'atrium-sign-in';

/** @param hash the fragment of the page, to which it returns. */
type Stored = PendingSignIn & { hash: string };

/** How an issuer has returned to the page; `pending` is undefined if the sign-in was not started in this tab. */
interface Return {
  parameters: URLSearchParams;
  pending: Stored | undefined;
}

const loadSession = async () => (await import('./issuer-session.js')).IssuerSession;

let returned = takeReturn();

/** Removes what the issuer has returned from the address and its history, and what the start has stored. */
function takeReturn(): Return | undefined {
  const parameters = new URLSearchParams(location.search);
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  if (!parameters.has('code') && !parameters.has('error')) return undefined;
  const pending = stored === null ? undefined : (JSON.parse(stored) as Stored);
  history.replaceState(null, '', location.pathname + (pending?.hash ?? ''));
  return { parameters, pending };
}

/** Has an issuer returned to this page, so that `completeSignIn` has something to do? */
export const hasReturned = (): boolean => returned !== undefined;

/** Completes the sign-in with which an issuer has returned, once. @throws {Error} */
export async function completeSignIn(): Promise<IssuerSession> {
  const { parameters, pending } = returned ?? {};
  returned = undefined;
  if (!parameters || !pending) throw new Error('This sign-in was not started in this tab. Sign in again.');
  return (await loadSession()).complete(pending, parameters);
}

/** Goes to the page of the issuer. @throws {Error} */
export async function startSignIn(issuer: SignInIssuer): Promise<void> {
  const { page, pending } = await (await loadSession()).start(issuer);
  const stored: Stored = { ...pending, hash: location.hash };
  sessionStorage.setItem(PENDING, JSON.stringify(stored));
  location.assign(page);
}

/** The issuers at which people sign in; empty if the service does not respond. */
export async function listIssuers(): Promise<SignInIssuer[]> {
  const response = await fetch(new URL('v1/api/oauth2/issuers', document.baseURI), { credentials: 'omit' });
  if (!response.ok) return [];
  return ((await response.json()) as { data: { items: SignInIssuer[] } }).data.items;
}
