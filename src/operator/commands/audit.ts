import { type Command, Option } from 'commander';
import { AUTH_EVENTS, type AuditFilter } from '../../modules/audit/audit.service.js';
import * as argument from '../arguments.js';
import { createAction, formatList } from '../output.js';

const DEFAULT_LIMIT = 50;

interface Options {
  user?: string;
  client?: string;
  kind?: AuditFilter['kind'];
  since?: Date;
  limit: number;
}

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('list entries of the audit log, newest first: sign-ins, rejections, calls of the legacy webhook')
    .option('--user <id>', 'only entries of this user', argument.uuid)
    .option('--client <client-id>', 'only entries of this client')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(AUTH_EVENTS))
    .option('--since <time>', 'a date, a time, or an age such as 90m, 12h, 7d', argument.since)
    .option('--limit <count>', 'maximum number of entries', argument.count, DEFAULT_LIMIT)
    .action(
      createAction(async ({ audit }, { user, client, kind, since, limit }: Options) => {
        const columns = {
          at: 'Time',
          kind: 'Event',
          userId: 'User',
          actorId: 'By',
          workspaceId: 'Workspace',
          clientId: 'Client',
          sessionId: 'Session',
          apiKeyId: 'API key',
          reason: 'Reason',
          counts: 'Counts',
          address: 'Address',
          requestId: 'Request',
        };
        const events = await audit.list({ userId: user, clientId: client, kind, since, limit });
        return formatList(events, columns, 'The audit log has no matching entries.');
      }),
    );
}
