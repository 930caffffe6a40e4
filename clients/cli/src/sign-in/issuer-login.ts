import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeviceSignIn,
  IssuerClient,
  IssuerError,
  type IssuerTokens,
  type SignInIssuer,
} from '../../../../packages/sign-in/src/issuer-client.js';
import { InterruptedError, UsageError } from '../exit-codes.js';
import { fetchJson } from '../failure.js';
import type { Io } from '../io.js';
import { writeText } from '../output.js';
import { LoopbackReceiver } from './loopback-receiver.js';
import { openBrowser } from './open-browser.js';

/** By which the interval grows if the issuer wants fewer questions, or cannot be reached (RFC 8628, section 3.5). */
const SLOWER_S = 5;

interface Ways {
  /** The person signs in on another device. */
  onDevice: boolean;
  /** A browser can be opened. */
  isInteractive: boolean;
}

/**
 * Finds the issuer among those that the service publishes.
 *
 * @param name its URL or its name; true: the only one
 * @throws {UsageError}
 */
export async function findIssuer(url: string, name: string | true): Promise<SignInIssuer> {
  const path = '/v1/api/oauth2/issuers';
  const response = await fetchJson<{ data: { items: SignInIssuer[] } }>(url, path, 'Check the address.');
  const issuers = response?.data.items ?? [];
  const matches = name === true ? issuers : issuers.filter((issuer) => [issuer.url, issuer.name].includes(name));
  if (matches.length === 1) return matches[0]!;
  if (issuers.length === 0) throw new UsageError(`${url} has no identity provider at which people sign in.`);
  const list = issuers.map((issuer) => `\n  ${issuer.url}  ${issuer.name}`).join('');
  throw new UsageError(`Choose one of the identity providers of ${url} with --issuer:${list}`);
}

/** The person signs in on the pages of the issuer. @throws {UsageError} */
export async function signInAt(issuer: SignInIssuer, { onDevice, isInteractive }: Ways, io: Io): Promise<IssuerTokens> {
  const signal = io.catchInterrupt();
  try {
    const client = await IssuerClient.discover(issuer);
    if (onDevice) return await signInOnDevice(client, issuer, io, signal);
    return await signInInBrowser(client, { issuer, isInteractive }, io, signal);
  } catch (error) {
    if (error instanceof IssuerError) throw new UsageError(`${error.message} Nothing was changed.`);
    throw error;
  }
}

async function signInInBrowser(
  client: IssuerClient,
  { issuer, isInteractive }: { issuer: SignInIssuer; isInteractive: boolean },
  io: Io,
  signal: AbortSignal,
): Promise<IssuerTokens> {
  const receiver = new LoopbackReceiver();
  try {
    const { page, pending } = await client.start(await receiver.listen());
    writeText(io.stderr, `Sign in with ${issuer.name} in a browser on this computer:\n  ${page.href}\n`);
    if (isInteractive) openBrowser(page.href);
    return await client.complete(pending, await receiver.receive(pending.state, signal));
  } finally {
    receiver.close();
  }
}

async function signInOnDevice(client: IssuerClient, issuer: SignInIssuer, io: Io, signal: AbortSignal) {
  if (!client.hasDeviceFlow) throw new UsageError(`${issuer.name} has no sign-in on another device. Omit --device.`);
  const started = await client.startOnDevice();
  const { page, userCode } = started;
  writeText(io.stderr, `Sign in with ${issuer.name} on any device:\n  ${page}\nThe code is ${userCode}.\n`);
  return waitForDevice(client, started, signal);
}

/** @throws {IssuerError} if the person rejects it, or too late */
async function waitForDevice(client: IssuerClient, started: DeviceSignIn, signal: AbortSignal): Promise<IssuerTokens> {
  for (let intervalS = started.intervalS; ;) {
    await sleep(intervalS * 1000, undefined, { signal }).catch(() => {
      throw new InterruptedError();
    });
    try {
      return await client.completeOnDevice(started);
    } catch (error) {
      const { code, isUnreachable } = error as IssuerError;
      const isWaiting = isUnreachable || code === 'authorization_pending' || code === 'slow_down';
      if (!isWaiting || Date.now() > started.expiresAt) throw error;
      if (code !== 'authorization_pending') intervalS += SLOWER_S;
    }
  }
}
