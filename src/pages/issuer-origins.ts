import type { Response } from 'express';
import type { SignInIssuer } from '../modules/identity/issuers.service.js';

/** The issuers at which people sign in now. Never fails. */
export type ListIssuers = () => Promise<readonly SignInIssuer[]>;

/** Lets the scripts of a page call the issuers, in addition to the origins of its content security policy. */
export async function permitIssuers(response: Response, listIssuers: ListIssuers): Promise<void> {
  const origins = new Set((await listIssuers()).map(({ url }) => new URL(url).origin));
  if (origins.size === 0) return;
  const policy = response.get('Content-Security-Policy')!;
  const permitted = policy.replace(/connect-src [^;]*/, (directive) => [directive, ...origins].join(' '));
  response.set('Content-Security-Policy', permitted);
}
