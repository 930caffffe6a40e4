import type { Command } from 'commander';
import type { ClientCredentials } from '../../modules/auth/clients.service.js';
import type { Scope } from '../../platform/security/scopes.js';
import * as argument from '../arguments.js';
import { type Output, addListCommand, createAction, formatRecord } from '../output.js';

export function addClientCommands(program: Command): void {
  const client = program.command('client').description('client credentials, which sign a user in');

  client
    .command('create')
    .description('issue client credentials to a user')
    .requiredOption('--user <id>', 'owner of the credentials', argument.uuid)
    .option('--scope <scope...>', 'scopes that the client may request; default: api', argument.scopes)
    .action(
      createAction(async ({ clients }, options: { user: string; scope?: Scope[] }) =>
        formatCredentials(await clients.create(options.user, options.scope)),
      ),
    );

  client
    .command('rotate')
    .description("issue a new secret; revoke the client's sessions and old secrets")
    .argument('<client-id>')
    .option('--overlap <seconds>', 'how long the old secrets remain valid; default: 0', argument.seconds)
    .action(
      createAction(async ({ clients }, clientId: string, options: { overlap?: number }) =>
        formatCredentials(await clients.rotate(clientId, options.overlap)),
      ),
    );

  client
    .command('disable')
    .description('disable a client and revoke its sessions')
    .argument('<client-id>')
    .action(
      createAction(async ({ clients }, clientId: string) => {
        await clients.disable(clientId);
        return formatRecord(
          { clientId, status: 'disabled' },
          { clientId: 'Client', status: 'Status' },
          'All sessions of the client are revoked.',
        );
      }),
    );

  addListCommand(client, 'clients', ({ clients }) => clients.list(), {
    clientId: 'Client',
    userId: 'User',
    allowedScopes: 'Scopes',
    status: 'Status',
    createdAt: 'Created',
  });
}

function formatCredentials({ clientId, clientSecret }: ClientCredentials): Output {
  const titles = { clientId: 'Client ID', clientSecret: 'Client secret' };
  return formatRecord({ clientId, clientSecret }, titles, 'Store the secret now. It is not shown again.');
}
