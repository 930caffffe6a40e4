import { Option } from 'commander';
import { AUDIT_KINDS } from '../../modules/audit/audit-kinds.js';
import type { AuditFilter } from '../../modules/audit/audit.service.js';
import * as argument from '../arguments.js';
import { getUserId, loadNames } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList } from '../output.js';

const DEFAULT_LIMIT = 50;
/** Characters of a detail: about two lines of its column. */
const MAX_DETAIL = 50;

interface Options {
  user?: string;
  client?: string;
  kind?: AuditFilter['kind'];
  since?: Date;
  limit: number;
}

/** What the last column shows, one part per line. */
interface Description {
  actor: string | null;
  user: string | null;
  apiKey: string | null;
  reason: string | null;
  counts: Record<string, number> | null;
  details: Record<string, unknown> | null;
}

export function addAuditCommand(program: OperatorCommand): void {
  program
    .command('audit')
    .description(
      'list entries of the audit log, newest first: sign-ins, rejections, calls of the legacy webhook; --json prints all details',
    )
    .option('--user <user>', 'only entries of this user: email address or ID', argument.user)
    .option('--client <client-id>', 'only entries of this client')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(AUDIT_KINDS))
    .option('--since <time>', 'a date, a time, or an age such as 90m, 12h, 7d', argument.since)
    .option('--limit <count>', 'maximum number of entries', argument.count, DEFAULT_LIMIT)
    .examples('audit --since 7d', 'audit --user integration@example.com --kind session_revoked --json')
    .run(async (services, { user, client, ...filter }: Options) => {
      const userId = user && (await getUserId(services, user));
      const names = await loadNames(services);
      const events = await services.audit.list({ ...filter, userId, clientId: client });
      const entries = events.map((event) => ({
        ...event,
        user: names.user(event.userId),
        actor: names.user(event.actorId),
        workspace: names.workspace(event.workspaceId),
        apiKey: names.apiKey(event.apiKeyId),
      }));
      return formatList(
        entries,
        {
          fields: [
            ...(['at', 'kind', 'userId', 'user', 'actorId', 'actor', 'workspaceId', 'workspace', 'clientId'] as const),
            ...(['sessionId', 'apiKeyId', 'actorKeyId', 'actorKeyName', 'credential', 'reason', 'counts'] as const),
            ...(['details', 'address', 'userAgent', 'requestId'] as const),
          ],
          columns: {
            Time: ({ at }) => at,
            Event: ({ kind }) => kind,
            User: ({ user, clientId }) => user ?? clientId,
            Workspace: ({ workspace }) => workspace,
            Address: ({ address }) => address,
            Details: (entry) => [...describe(entry)],
          },
        },
        'The audit log has no matching entries.',
      );
    });
}

function* describe({ actor, user, apiKey, reason, counts, details }: Description): Generator<string> {
  if (actor && actor !== user) yield `by ${actor}`;
  if (apiKey) yield `API key ${apiKey}`;
  if (reason) yield shorten(reason);
  for (const [name, count] of Object.entries(counts ?? {})) yield `${name}: ${count}`;
  for (const [name, value] of Object.entries(details ?? {})) yield shorten(`${name}: ${summarize(value)}`);
}

const shorten = (text: string): string => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text);

/** Names or a count of entries: a change of a table has the definitions of all its new columns. */
function summarize(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('name' in value) return String(value.name);
  if (!Array.isArray(value)) return JSON.stringify(value);
  const isListed = value.every((entry) => typeof entry !== 'object' || entry === null || 'name' in entry);
  return isListed ? value.map(summarize).join(', ') : `${value.length} (see --json)`;
}
