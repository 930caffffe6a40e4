import { type Command, Option } from 'commander';
import { AUTH_EVENTS, type AuditFilter } from '../../modules/audit/audit.service.js';
import * as argument from '../arguments.js';
import { answering, list } from '../output.js';

const DEFAULT_LINES = 50;

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
    .description(
      'read the audit log, the newest line first: who signed in, was refused, still calls the legacy webhook',
    )
    .option('--user <id>', 'only of this user', argument.uuid)
    .option('--client <client-id>', 'only of this client')
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(AUTH_EVENTS))
    .option('--since <time>', 'a date, a time, or an age such as 90m, 12h, 7d', argument.since)
    .option('--limit <lines>', 'lines at most', argument.count, DEFAULT_LINES)
    .action(
      answering(async ({ audit }, { user, client, kind, since, limit }: Options) => {
        const columns = {
          at: 'Time',
          kind: 'What',
          userId: 'User',
          actorId: 'By',
          workspaceId: 'Workspace',
          clientId: 'Client',
          sessionId: 'Session',
          apiKeyId: 'API key',
          reason: 'Why',
          counts: 'Counts',
          address: 'Address',
          requestId: 'Request',
        };
        const events = await audit.list({ userId: user, clientId: client, kind, since, limit });
        return list(events, columns, 'The audit log has no such lines.');
      }),
    );
}
