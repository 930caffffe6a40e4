import type { IssuedApiKey } from '@atrium/client';
import { confirm } from '../confirm.js';
import type { WorkspaceContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { toArray } from '../iteration.js';
import { findId } from '../named.js';
import { collect, toTime } from '../options.js';
import { formatTime } from '../output.js';
import type { Program, Runner } from '../runner.js';
import { readUserNames } from '../user-names.js';
import { findPolicy } from './policies.js';

const KEYS = '/v2/api/workspaces/{workspaceId}/api-keys';
const KEY = `${KEYS}/{id}` as const;

export function addKeyCommands(program: Program, { inWorkspace }: Runner): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys of the workspace');
  keys
    .command('create')
    .description('create an API key, and print it once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scope <scope>', 'at most your scopes, which are the default; repeatable', collect)
    .option('--expires <time>', 'for example 365d or 2027-11-21; never by default')
    .option('--policy <policy>', 'access policy that restricts the key: its name or ID')
    .action(
      inWorkspace(async (context, { name, scope, expires, policy }) => {
        const { client, workspaceId, output } = context;
        const expiresAt = expires === undefined ? undefined : parseExpiry(expires);
        const policyId = policy === undefined ? undefined : await findPolicy(policy, context);
        const body = { name, scopes: scope as IssuedApiKey['scopes'] | undefined, expiresAt, policyId };
        const key = await client.post(KEYS, { params: { path: { workspaceId } }, body });
        output.result(key, () => describeIssued(key));
      }),
    );
  keys
    .command('list')
    .description('list API keys, the newest first')
    .action(
      inWorkspace(async (context) => {
        const { output } = context;
        const found = await readKeys(context);
        const names = await readUserNames(
          context,
          output.json ? [] : found.flatMap(({ createdBy }) => createdBy ?? []),
        );
        await output.table(found, ['id', 'name', 'key', 'status', 'used', 'expires', 'scopes', 'creator'], (key) => ({
          ...key,
          key: `${key.prefix ?? ''}…${key.last4}`,
          used: key.lastUsedAt && formatTime(key.lastUsedAt),
          expires: key.expiresAt && formatTime(key.expiresAt),
          scopes: key.scopes.join(' '),
          creator: key.createdBy === null ? 'operator' : (names.get(key.createdBy) ?? key.createdBy),
        }));
      }),
    );
  keys
    .command('rotate <key>')
    .description('give an API key, by its name or ID, a new secret, and print it once')
    .option('--overlap <duration>', 'how long the former secret remains valid, for example 24h')
    .option('--expires <time>', 'new end of its validity; unchanged by default')
    .action(
      inWorkspace(async (context, text, { overlap, expires }) => {
        const { client, workspaceId, output } = context;
        const body = {
          overlapS: overlap === undefined ? undefined : parseDuration(overlap),
          expiresAt: expires === undefined ? undefined : parseExpiry(expires),
        };
        const params = { path: { workspaceId, id: await findKey(text, context) } };
        const key = await client.post(`${KEY}/rotate`, { params, body });
        output.result(key, () => describeIssued(key));
      }),
    );
  keys
    .command('revoke <key>')
    .description('revoke an API key, by its name or ID, and its former secrets')
    .option('--yes', 'do not ask')
    .action(
      inWorkspace(async (context, text, { yes }) => {
        const { client, workspaceId, output } = context;
        const params = { path: { workspaceId, id: await findKey(text, context) } };
        const { name, last4 } = await client.get(KEY, { params });
        await confirm(`Revoke the API key "${name}" (…${last4})?`, context, { yes });
        const key = await client.delete(KEY, { params });
        output.result(key, () => `The API key "${name}" is revoked.\n`);
      }),
    );
}

export const readKeys = ({ client, workspaceId }: WorkspaceContext) =>
  toArray(client.paginate(KEYS, { params: { path: { workspaceId } } }));

/** The ID of a key that is named by its ID or name. A revoked key has only its ID. @throws {UsageError} */
function findKey(text: string, context: WorkspaceContext): Promise<string> {
  return findId('API key', text, async () => (await readKeys(context)).filter(({ status }) => status !== 'revoked'));
}

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
 * A duration from now on, or a time.
 *
 * @throws {UsageError} if the value is empty. For the service, a key with an empty time does not expire.
 */
function parseExpiry(value: string): string {
  if (value === '') throw new UsageError('--expires is empty. Write a time or a duration, or omit --expires.');
  if (!/^\d+[smhd]$/.test(value)) return toTime(value);
  return new Date(Math.min(Date.now() + parseDuration(value) * 1_000, MAX_TIME_MS)).toISOString();
}

function describeIssued({ id, apiKey }: IssuedApiKey): string {
  return `ID: ${id}\nAPI key: ${apiKey}\n\nStore the key now. It is not shown again.\n`;
}
