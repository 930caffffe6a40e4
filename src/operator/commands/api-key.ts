import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { getUserId, getWorkspaceId, loadNames } from '../names.js';
import { addExamples, addListCommand, createAction, formatRecord } from '../output.js';

export function addApiKeyCommands(program: Command, description: string): void {
  const apiKey = program.command('api-key').description(description);

  const create = apiKey
    .command('create')
    .description('issue an API key')
    .requiredOption('--user <user>', 'owner of the key: email address or ID', argument.user)
    .requiredOption(
      '--workspace <workspace>',
      'workspace of the key: slug or ID; the user must be a member',
      argument.workspace,
    )
    .option(
      '--expires <time>',
      'end of its validity: 365d, 12h, 2027-11-21, 2027-11-21T08:00Z; otherwise none',
      argument.expiry,
    )
    .action(
      createAction(async (services, options: { user: string; workspace: string; expires?: Date }) => {
        const userId = await getUserId(services, options.user);
        const workspaceId = await getWorkspaceId(services, options.workspace);
        const expiresAt = options.expires ?? null;
        const { id, apiKey } = await services.apiKeys.create(userId, workspaceId, expiresAt);
        const titles = { id: 'Id', apiKey: 'API key', expiresAt: 'Expires' };
        return formatRecord({ id, apiKey, expiresAt }, titles, 'Store the key now. It is not shown again.');
      }),
    );
  addExamples(
    create,
    'api-key create --user integration@example.com --workspace vienna-works',
    'api-key create --user integration@example.com --workspace vienna-works --expires 365d',
  );

  const revoke = apiKey
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
  addExamples(revoke, 'api-key revoke 0193a2f4-8c1b-7d3e-9f60-2b5c8e1a4d77');

  addListCommand(
    apiKey,
    'API keys',
    async (services) => {
      const names = await loadNames(services);
      const keys = await services.apiKeys.list();
      return keys.map((key) => ({ ...key, user: names.user(key.userId), workspace: names.workspace(key.workspaceId) }));
    },
    {
      fields: [
        'id',
        'userId',
        'user',
        'workspaceId',
        'workspace',
        'last4',
        'createdAt',
        'expiresAt',
        'lastUsedAt',
        'revokedAt',
      ],
      columns: {
        'API key': ({ id }) => id,
        'Ends in': ({ last4 }) => `…${last4}`,
        User: ({ user }) => user,
        Workspace: ({ workspace }) => workspace,
        Expires: ({ expiresAt }) => expiresAt,
        'Last used': ({ lastUsedAt, revokedAt }) => (revokedAt ? 'revoked' : lastUsedAt),
      },
    },
  );
}
