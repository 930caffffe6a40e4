import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, facts, list } from '../output.js';

export function addApiKeyCommands(program: Command): void {
  const apiKey = program.command('api-key').description('static keys, each of one user in one workspace');

  apiKey
    .command('create')
    .description('issue an API key')
    .requiredOption('--user <id>', 'whose it is', argument.uuid)
    .requiredOption('--workspace <id>', 'where it works; the user must be a member', argument.uuid)
    .action(
      answering(async ({ apiKeys }, options: { user: string; workspace: string }) => {
        const { id, apiKey } = await apiKeys.create(options.user, options.workspace);
        const titles = { id: 'Id', apiKey: 'API key' };
        return facts({ id, apiKey }, titles, 'Keep the key now: it is shown this once and cannot be read again.');
      }),
    );

  apiKey
    .command('revoke')
    .description('end an API key at once')
    .argument('<id>', 'as `api-key list` shows it; not the key itself', argument.uuid)
    .action(
      answering(async ({ apiKeys }, id: string) => {
        await apiKeys.revoke(id);
        return facts({ id, status: 'revoked' }, { id: 'API key', status: 'Status' }, 'It has stopped working.');
      }),
    );

  apiKey
    .command('list')
    .description('list all API keys')
    .action(
      answering(async ({ apiKeys }) => {
        const columns = {
          id: 'API key',
          userId: 'User',
          workspaceId: 'Workspace',
          last4: { title: 'Ends in', show: (last4: string) => `…${last4}` },
          createdAt: 'Created',
          lastUsedAt: 'Last used',
          revokedAt: 'Revoked',
        };
        return list(await apiKeys.list(), columns, 'There are no API keys.');
      }),
    );
}
