import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { addListCommand, createAction, formatRecord } from '../output.js';

export function addApiKeyCommands(program: Command): void {
  const apiKey = program.command('api-key').description('static keys, each for one user and one workspace');

  apiKey
    .command('create')
    .description('issue an API key')
    .requiredOption('--user <id>', 'owner of the key', argument.uuid)
    .requiredOption('--workspace <id>', 'workspace of the key; the user must be a member', argument.uuid)
    .action(
      createAction(async ({ apiKeys }, options: { user: string; workspace: string }) => {
        const { id, apiKey } = await apiKeys.create(options.user, options.workspace);
        const titles = { id: 'Id', apiKey: 'API key' };
        return formatRecord({ id, apiKey }, titles, 'Store the key now. It is not shown again.');
      }),
    );

  apiKey
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<id>', 'ID from `api-key list`, not the key itself', argument.uuid)
    .action(
      createAction(async ({ apiKeys }, id: string) => {
        await apiKeys.revoke(id);
        return formatRecord(
          { id, status: 'revoked' },
          { id: 'API key', status: 'Status' },
          'The key is not valid any more.',
        );
      }),
    );

  addListCommand(apiKey, 'API keys', ({ apiKeys }) => apiKeys.list(), {
    id: 'API key',
    userId: 'User',
    workspaceId: 'Workspace',
    last4: { title: 'Ends in', format: (last4: string) => `…${last4}` },
    createdAt: 'Created',
    lastUsedAt: 'Last used',
    revokedAt: 'Revoked',
  });
}
