import { Option } from '@commander-js/extra-typings';
import type { AuditEntry, User } from '@atrium/client';
import { formatChanges } from '../changes.js';
import type { WorkspaceContext } from '../context.js';
import { writeBody } from '../io.js';
import { toArray } from '../iteration.js';
import { findId } from '../named.js';
import { parseCount, toTime } from '../options.js';
import { formatTime } from '../output.js';
import type { Program, Runner } from '../runner.js';
import { readScopes } from '../user-names.js';
import { readKeys } from './keys.js';

export function addAuditCommands(program: Program, { inWorkspace }: Runner): void {
  const audit = program.command('audit').description('read who accessed the workspace, and who changed what');
  audit
    .command('list')
    .description('list entries of the audit log, the newest first')
    .option('--kind <entry-kind>', 'for example table_dropped; several separated by commas')
    .option('--principal <user-or-key>', 'name or ID of a user or of an API key')
    .option('--from <time>', 'at or after, for example 2026-12-01 or 2026-12-01T08:00:00Z', toTime)
    .option('--to <time>', 'before', toTime)
    .addOption(new Option('--result <result>').choices(['succeeded', 'rejected', 'aborted']))
    .option('--limit <number>', 'newest entries', parseCount, 50)
    .addOption(new Option('--format <format>', 'print all entries as lines of JSON').choices(['ndjson']))
    .action(
      inWorkspace(async (context, { principal, limit, format, ...flags }) => {
        const { client, io, output, signal } = context;
        const query = new URLSearchParams(Object.entries(flags));
        if (principal !== undefined) query.set('principal', await findPrincipal(principal, context));
        const path = `${client.workspacePath}/audit?${query.toString()}`;
        if (format === 'ndjson') {
          const accept = { accept: 'application/x-ndjson' };
          return writeBody(
            (await client.request('GET', path, { headers: accept, stream: true, signal })).body,
            io.stdout,
          );
        }
        const found = await toArray(client.pages<AuditEntry>(path, { signal }), limit);
        const columns = ['time', 'kind', 'result', 'principal', 'credential', 'address', 'details'];
        await output.table(found, columns, ({ at, principal: { type, id, name }, details, ...entry }) => ({
          ...entry,
          time: formatTime(at),
          principal: name ?? id ?? type,
          details: describe(details),
        }));
      }),
    );
}

/** The ID of a user or of an API key that is named by its ID, its name or its e-mail address. @throws {UsageError} */
function findPrincipal(text: string, context: WorkspaceContext): Promise<string> {
  const { client, workspaceId } = context;
  return findId('user or API key', text, async () => {
    const scopes = await readScopes(context);
    const keys = scopes.includes('write:workspaces') ? await readKeys(context) : [];
    const path = `/v1/api/users?${new URLSearchParams({ workspaceId }).toString()}`;
    const users = scopes.includes('read:users') ? await toArray(client.pages<User>(path)) : [];
    const named = users.flatMap(({ id, email, displayName }) =>
      [email, displayName ?? email].map((name) => ({ id, name })),
    );
    return [...keys, ...named];
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
  const written = tables.map(({ name, ...changes }) => `${name} ${formatChanges(changes)}`);
  const named = Object.entries(others)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${value as string | number}`);
  const parts = [reason, table?.name, column, format, ...written, batchId, ...named];
  return parts.filter((part) => part !== undefined).join(', ');
}
