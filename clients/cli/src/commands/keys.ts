import type { ApiKey, IssuedApiKey } from '@atrium/client';
import { confirm } from '../confirm.js';
import { openContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import { formatTime } from '../output.js';

const KEYS = '/v2/api/workspaces/{workspaceId}/api-keys';
const KEY = `${KEYS}/{id}` as const;

interface CreateFlags extends GlobalFlags {
  name: string;
  scope?: string[];
  expires?: string;
  policy?: string;
}

type RotateFlags = GlobalFlags & { overlap?: string; expires?: string };

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds, or a number with a unit: `90m`, `24h`, `7d`. @throws {UsageError} */
function parseDuration(value: string): number {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? [];
  if (count === undefined)
    throw new UsageError(`"${value}" is not a duration. Write seconds, or a number with a unit, for example 24h.`);
  return Number(count) * UNITS[unit || 's']!;
}

/** A duration from now on, or the begin of a day in UTC. The service validates any other time. */
function parseExpiry(value: string): string {
  if (/^\d+[smhd]$/.test(value)) return new Date(Date.now() + parseDuration(value) * 1_000).toISOString();
  return /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value;
}

export async function createKey({ name, scope: scopes, expires, policy, ...flags }: CreateFlags): Promise<void> {
  const expiresAt = expires && parseExpiry(expires);
  const { client, settings, output } = await openContext(flags);
  const body = {
    ...{ name, ...(scopes && { scopes: scopes as ApiKey['scopes'] }) },
    ...{ ...(expiresAt && { expiresAt }), ...(policy !== undefined && { policyId: policy }) },
  };
  const key = await client.post(KEYS, { params: { path: { workspaceId: settings.workspace! } }, body });
  output.result(key, () => describeIssued(key));
}

export async function listKeys(flags: GlobalFlags): Promise<void> {
  const { client, settings, output } = await openContext(flags);
  const keys: ApiKey[] = [];
  for await (const key of client.paginate(KEYS, { params: { path: { workspaceId: settings.workspace! } } }))
    keys.push(key);
  await output.table(keys, ['id', 'name', 'key', 'status', 'used', 'expires', 'scopes', 'creator'], (key) => ({
    ...key,
    key: `${key.prefix ?? ''}…${key.last4}`,
    used: key.lastUsedAt && formatTime(key.lastUsedAt),
    expires: key.expiresAt && formatTime(key.expiresAt),
    scopes: key.scopes.join(' '),
    creator: key.createdBy ?? 'operator',
  }));
}

export async function rotateKey(id: string, { overlap, expires, ...flags }: RotateFlags): Promise<void> {
  const body = {
    ...(overlap !== undefined && { overlapS: parseDuration(overlap) }),
    ...(expires !== undefined && { expiresAt: parseExpiry(expires) }),
  };
  const { client, settings, output } = await openContext(flags);
  const path = { workspaceId: settings.workspace!, id };
  const key = await client.post(`${KEY}/rotate`, { params: { path }, body });
  output.result(key, () => describeIssued(key));
}

export async function revokeKey(id: string, { yes, ...flags }: GlobalFlags & { yes?: boolean }): Promise<void> {
  const context = await openContext(flags);
  const { client, settings, output } = context;
  const params = { path: { workspaceId: settings.workspace!, id } };
  const { name, last4 } = await client.get(KEY, { params });
  await confirm(`Revoke the API key "${name}" (…${last4})?`, context, { ...(yes && { yes }), isRequired: true });
  const key = await client.delete(KEY, { params });
  output.result(key, () => `The API key "${name}" is revoked.\n`);
}

function describeIssued({ id, apiKey }: IssuedApiKey): string {
  return `ID: ${id}\nAPI key: ${apiKey}\n\nStore the key now. It is not shown again.\n`;
}
