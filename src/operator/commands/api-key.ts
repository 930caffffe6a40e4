import type { Scope } from '../../platform/security/scopes.js';
import type { IssuedApiKey } from '../../modules/auth/api-keys.service.js';
import * as argument from '../arguments.js';
import { getUserId, getWorkspaceId, loadNames } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatRecord, type Output } from '../output.js';

interface CreateOptions {
  user: string;
  workspace: string;
  name?: string;
  scope?: Scope[];
  expires?: Date;
}

export function addApiKeyCommands(program: OperatorCommand): void {
  const apiKey = program
    .command('api-key')
    .description('static keys, each for one user and one workspace')
    .examples('api-key create --user integration@example.com --workspace vienna-works');

  apiKey
    .command('create')
    .description('issue an API key')
    .requiredOption('--user <user>', 'owner of the key: email address or ID', argument.user)
    .requiredOption(
      '--workspace <workspace>',
      'workspace of the key: slug or ID; the user must be a member',
      argument.workspace,
    )
    .option('--name <name>', 'what the key is for; default: API key', argument.name)
    .option('--scope <scope...>', 'scopes of the key; default: api', argument.scopes)
    .option(
      '--expires <time>',
      'end of its validity: 365d, 12h, 2027-11-21, 2027-11-21T08:00Z; otherwise none',
      argument.expiry,
    )
    .examples(
      'api-key create --user integration@example.com --workspace vienna-works',
      'api-key create --user integration@example.com --workspace vienna-works --expires 365d',
      "api-key create --user bi@example.com --workspace vienna-works --name 'BI export' --scope read:workspaces",
    )
    .run(async (services, options: CreateOptions) => {
      const userId = await getUserId(services, options.user);
      const workspaceId = await getWorkspaceId(services, options.workspace);
      const { name, scope: scopes, expires: expiresAt = null } = options;
      const { id, apiKey } = await services.apiKeys.create(userId, workspaceId, { name, scopes, expiresAt });
      return formatKey({ id, apiKey, expiresAt }, { expiresAt: 'Expires' });
    });

  apiKey
    .command('rotate')
    .description('give an API key a new secret; ID, name, scopes and expiry remain')
    .argument('<id>', 'ID from `api-key list`, not the key itself', argument.uuid)
    .option('--overlap <seconds>', 'how long the former secret remains valid; default: 0', argument.seconds)
    .option('--expires <time>', 'new end of its validity; default: unchanged', argument.expiry)
    .examples('api-key rotate 0193a2f4-8c1b-7d3e-9f60-2b5c8e1a4d77 --overlap 86400')
    .run(async ({ apiKeys }, id: string, options: { overlap?: number; expires?: Date }) =>
      formatKey(await apiKeys.rotate(id, { overlapS: options.overlap ?? 0, expiresAt: options.expires })),
    );

  apiKey
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<id>', 'ID from `api-key list`, not the key itself', argument.uuid)
    .examples('api-key revoke 0193a2f4-8c1b-7d3e-9f60-2b5c8e1a4d77')
    .run(async ({ apiKeys }, id: string) => {
      await apiKeys.revoke(id);
      return formatRecord(
        { id, status: 'revoked' },
        { id: 'API key', status: 'Status' },
        'The key is not valid any more.',
      );
    });

  apiKey.addList(
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
        'name',
        'scopes',
        'prefix',
        'last4',
        'createdBy',
        'createdAt',
        'expiresAt',
        'lastUsedAt',
        'revokedAt',
      ],
      columns: {
        'API key': ({ id }) => id,
        Name: ({ name, prefix, last4, scopes }) => [name, ...(prefix ? [`${prefix}…`] : []), `…${last4}`, ...scopes],
        User: ({ user }) => user,
        Workspace: ({ workspace }) => workspace,
        Expires: ({ expiresAt }) => expiresAt,
        'Last used': ({ lastUsedAt, revokedAt }) => (revokedAt ? 'revoked' : lastUsedAt),
      },
    },
  );
}

function formatKey(key: IssuedApiKey & { expiresAt?: Date | null }, titles: Record<string, string> = {}): Output {
  const note = 'Store the key now. It is not shown again.';
  return formatRecord({ ...key }, { id: 'Id', apiKey: 'API key', ...titles }, note);
}
