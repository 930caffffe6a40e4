import type { ApiKey, IssuedApiKey } from '@atrium/client';
import { confirm } from '../confirm.js';
import { type Context, openContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { findId } from '../named.js';
import { formatTime } from '../output.js';
import { readUserNames } from '../user-names.js';
import { findPolicy } from './policies.js';

const KEYS = '/v2/api/workspaces/{workspaceId}/api-keys';
const KEY = `${KEYS}/{id}` as const;

interface CreateFlags extends GlobalFlags {
  name: string;
  scope?: string[];
  expires?: string;
  policy?: string;
}

type RotateFlags = GlobalFlags & { overlap?: string; expires?: string };

const UNITS: ReadonlyMap<string, number> = new Map(Object.entries({ s: 1, m: 60, h: 3_600, d: 86_400 }));

/** Seconds, or a number with a unit: `90m`, `24h`, `7d`. @throws {UsageError} */
function parseDuration(value: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? [];
  if (count === undefined)
    throw new UsageError(`"${value}" is not a duration. Write seconds, or a number with a unit, for example 24h.`);
  return Number(count) * UNITS.get(unit || 's')!;
}

/** The latest time of JavaScript, in milliseconds. */
const MAX_TIME_MS = 8.64e15;

/**
 * A duration from now on, or the begin of a day in UTC. The service validates any other time.
 *
 * @throws {UsageError} if the value is empty. For the service, a key with an empty time does not expire.
 */
function parseExpiry(value: string): string {
  if (value === '') throw new UsageError('--expires is empty. Write a time or a duration, or omit --expires.');
  if (/^\d+[smhd]$/.test(value)) {
    const time = Date.now() + parseDuration(value) * 1_000;
    return new Date(Math.min(time, MAX_TIME_MS)).toISOString();
  }
  return /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value;
}

export async function createKey(
  { name, scope: scopes, expires, policy, ...flags }: CreateFlags,
  io: Io,
): Promise<void> {
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires);
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const policyId = policy === undefined ? undefined : await findPolicy(policy, context);
  const body = { name, scopes: scopes as ApiKey['scopes'] | undefined, expiresAt, policyId };
  const key = await client.post(KEYS, { params: { path: { workspaceId: settings.workspace! } }, body });
  output.result(key, () => describeIssued(key));
}

export async function listKeys(flags: GlobalFlags, io: Io): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const keys = await readKeys(context);
  const creators = output.json ? [] : keys.flatMap(({ createdBy }) => createdBy ?? []);
  const names = await readUserNames(client, settings.workspace!, creators);
  await output.table(keys, ['id', 'name', 'key', 'status', 'used', 'expires', 'scopes', 'creator'], (key) => ({
    ...key,
    key: `${key.prefix ?? ''}…${key.last4}`,
    used: key.lastUsedAt && formatTime(key.lastUsedAt),
    expires: key.expiresAt && formatTime(key.expiresAt),
    scopes: key.scopes.join(' '),
    creator: key.createdBy === null ? 'operator' : (names.get(key.createdBy) ?? key.createdBy),
  }));
}

export async function readKeys({ client, settings }: Pick<Context, 'client' | 'settings'>): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for await (const key of client.paginate(KEYS, { params: { path: { workspaceId: settings.workspace! } } }))
    keys.push(key);
  return keys;
}

/** The ID of a key that is named by its ID or name. A revoked key has only its ID. @throws {UsageError} */
function findKey(text: string, context: Context): Promise<string> {
  return findId('API key', text, async () => (await readKeys(context)).filter(({ status }) => status !== 'revoked'));
}

export async function rotateKey(text: string, { overlap, expires, ...flags }: RotateFlags, io: Io): Promise<void> {
  const body = {
    overlapS: overlap === undefined ? undefined : parseDuration(overlap),
    expiresAt: expires === undefined ? undefined : parseExpiry(expires),
  };
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const path = { workspaceId: settings.workspace!, id: await findKey(text, context) };
  const key = await client.post(`${KEY}/rotate`, { params: { path }, body });
  output.result(key, () => describeIssued(key));
}

export async function revokeKey(
  text: string,
  { yes, ...flags }: GlobalFlags & { yes?: boolean },
  io: Io,
): Promise<void> {
  const context = await openContext(flags, io);
  const { client, settings, output } = context;
  const params = { path: { workspaceId: settings.workspace!, id: await findKey(text, context) } };
  const { name, last4 } = await client.get(KEY, { params });
  await confirm(`Revoke the API key "${name}" (…${last4})?`, context, { yes, isRequired: true });
  const key = await client.delete(KEY, { params });
  output.result(key, () => `The API key "${name}" is revoked.\n`);
}

function describeIssued({ id, apiKey }: IssuedApiKey): string {
  return `ID: ${id}\nAPI key: ${apiKey}\n\nStore the key now. It is not shown again.\n`;
}
