import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { AuditEntry } from '@atrium/client';
import { type Context, openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { findId } from '../named.js';
import { formatTime } from '../output.js';
import { readScopes } from '../user-names.js';
import { readKeys } from './keys.js';

interface AuditFlags extends GlobalFlags {
  kind?: string;
  principal?: string;
  from?: string;
  to?: string;
  result?: AuditEntry['result'];
  limit: number;
  format?: 'ndjson';
}

/** The newest entries of the audit log; with `--format ndjson` all that match, as lines of JSON. */
export async function listAudit({ kind, principal, from, to, result, limit, format, ...flags }: AuditFlags, io: Io) {
  const context = await openContext(flags, io);
  const { client, output, signal } = context;
  const query = new URLSearchParams();
  if (kind !== undefined) query.set('kind', kind);
  if (principal !== undefined) query.set('principal', await findPrincipal(principal, context));
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
  if (result !== undefined) query.set('result', result);
  const path = `${client.workspacePath}/audit?${query.toString()}`;
  if (format === 'ndjson') {
    const accept = { accept: 'application/x-ndjson' };
    const { body } = await client.request('GET', path, { headers: accept, stream: true, signal });
    await pipeline(Readable.fromWeb(body as ReadableStream), io.stdout, { end: false });
    return;
  }
  const found: AuditEntry[] = [];
  for await (const entry of client.pages<AuditEntry>(path, { signal })) {
    found.push(entry);
    if (found.length >= limit) break;
  }
  const columns = ['time', 'kind', 'result', 'principal', 'credential', 'address', 'details'];
  await output.table(found, columns, ({ at, kind, result, principal, credential, address, details }) => {
    const { type, id, name } = principal;
    return {
      time: formatTime(at),
      kind,
      result,
      principal: name ?? id ?? type,
      credential,
      address,
      details: describe(details),
    };
  });
}

/** The ID of a user or of an API key that is named by its ID, its name or its e-mail address. @throws {UsageError} */
function findPrincipal(text: string, { client, settings }: Context): Promise<string> {
  const workspaceId = settings.workspace!;
  return findId('user or API key', text, async () => {
    const scopes = await readScopes(client, workspaceId);
    const named: { id: string; name: string }[] = scopes.includes('write:workspaces')
      ? await readKeys({ client, settings })
      : [];
    if (!scopes.includes('read:users')) return named;
    type User = { id: string; email: string; displayName: string | null };
    const path = `/v1/api/users?${new URLSearchParams({ workspaceId }).toString()}`;
    for await (const { id, email, displayName } of client.pages<User>(path))
      named.push({ id, name: email }, { id, name: displayName ?? email });
    return named;
  });
}

/** The reason, the tables, the batch and the IDs of an entry. `--json` prints all details. */
function describe(details: AuditEntry['details']): string {
  const {
    reason,
    table,
    tables = [],
    column,
    format,
    batchId,
    ...others
  } = details as {
    reason?: string;
    table?: { name: string };
    tables?: { name: string; created: number; updated: number; deleted: number }[];
    column?: string;
    format?: string;
    batchId?: string;
  };
  const written = tables.map(({ name, created, updated, deleted }) => `${name} +${created} ~${updated} -${deleted}`);
  const named = Object.entries(others)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${value as string | number}`);
  const parts = [reason, table?.name, column, format, ...written, batchId, ...named];
  return parts.filter((part) => part !== undefined).join(', ');
}
