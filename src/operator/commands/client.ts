import type { Command } from 'commander';
import type { ClientCredentials } from '../../modules/auth/clients.service.js';
import type { Scope } from '../../platform/security/scopes.js';
import * as argument from '../arguments.js';
import { type Answer, answering, facts, list } from '../output.js';

export function addClientCommands(program: Command): void {
  const client = program.command('client').description('client credentials, with which a user signs in');

  client
    .command('create')
    .description('issue client credentials to a user')
    .requiredOption('--user <id>', 'whose they are', argument.uuid)
    .option('--scope <scope...>', 'what the client may ask for at most; api by default', argument.scopes)
    .action(
      answering(async ({ clients }, options: { user: string; scope?: Scope[] }) =>
        shownOnce(await clients.create(options.user, options.scope)),
      ),
    );

  client
    .command('rotate')
    .description("issue a new secret; end the client's sessions and its old secrets")
    .argument('<client-id>')
    .option('--overlap <seconds>', 'for how long the old secrets still work; 0 by default', argument.seconds)
    .action(
      answering(async ({ clients }, clientId: string, options: { overlap?: number }) =>
        shownOnce(await clients.rotate(clientId, options.overlap)),
      ),
    );

  client
    .command('disable')
    .description('end the sessions of a client, which can no longer sign in')
    .argument('<client-id>')
    .action(
      answering(async ({ clients }, clientId: string) => {
        await clients.disable(clientId);
        return facts(
          { clientId, status: 'disabled' },
          { clientId: 'Client', status: 'Status' },
          'Its sessions have ended.',
        );
      }),
    );

  client
    .command('list')
    .description('list all clients')
    .action(
      answering(async ({ clients }) => {
        const columns = {
          clientId: 'Client',
          userId: 'User',
          allowedScopes: 'Scopes',
          status: 'Status',
          createdAt: 'Created',
        };
        return list(await clients.list(), columns, 'There are no clients.');
      }),
    );
}

function shownOnce({ clientId, clientSecret }: ClientCredentials): Answer {
  const titles = { clientId: 'Client id', clientSecret: 'Client secret' };
  return facts(
    { clientId, clientSecret },
    titles,
    'Keep the secret now: it is shown this once and cannot be read again.',
  );
}
