import type { ClientCredentials } from '../../modules/auth/clients.service.js';
import type { Scope } from '../../platform/security/scopes.js';
import * as argument from '../arguments.js';
import { getUserId, loadNames } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatRecord, type Output } from '../output.js';

interface CreateOptions {
  user: string;
  scope?: Scope[];
  federated?: { issuer: string; subject: string };
}

export function addClientCommands(program: OperatorCommand): void {
  const client = program
    .command('client')
    .description('client credentials, which sign a user in')
    .examples('client create --user integration@example.com --scope api');

  client
    .command('create')
    .description('issue client credentials to a user')
    .requiredOption('--user <user>', 'owner of the credentials: email address or ID', argument.user)
    .option('--scope <scope...>', 'scopes that the client may request; default: api', argument.scopes)
    .option(
      '--federated <issuer,subject>',
      'a machine that a trusted issuer authenticates: the URL of the issuer and the subject of its tokens; no secret',
      argument.federated,
    )
    .examples(
      'client create --user integration@example.com --scope api',
      'client create --user integration@example.com --federated https://login.example.com/works,3f2a9c1e',
    )
    .run(async (services, options: CreateOptions) => {
      const userId = await getUserId(services, options.user);
      if (options.federated) {
        const { issuer, subject } = options.federated;
        const clientId = await services.identities.createClient(userId, issuer, subject, options.scope);
        const titles = { clientId: 'Client ID', issuer: 'Issuer', subject: 'Subject' };
        return formatRecord({ clientId, issuer, subject }, titles, 'Tokens of this subject act as the user.');
      }
      return formatCredentials(await services.clients.create(userId, options.scope));
    });

  client
    .command('rotate')
    .description("issue a new secret; revoke the client's sessions and old secrets")
    .argument('<client-id>')
    .option('--overlap <seconds>', 'how long the old secrets remain valid; default: 0', argument.seconds)
    .examples('client rotate wsc_4Zk8Qm2T --overlap 3600')
    .run(async ({ clients }, clientId: string, options: { overlap?: number }) =>
      formatCredentials(await clients.rotate(clientId, options.overlap)),
    );

  client
    .command('disable')
    .description('disable a client and revoke its sessions')
    .argument('<client-id>')
    .examples('client disable wsc_4Zk8Qm2T')
    .run(async ({ clients }, clientId: string) => {
      await clients.disable(clientId);
      return formatRecord(
        { clientId, status: 'disabled' },
        { clientId: 'Client', status: 'Status' },
        'All sessions of the client are revoked.',
      );
    });

  client.addList(
    'clients',
    async (services) => {
      const names = await loadNames(services);
      return (await services.clients.list()).map((each) => ({ ...each, user: names.user(each.userId) }));
    },
    {
      fields: ['clientId', 'userId', 'user', 'allowedScopes', 'status', 'createdAt'],
      columns: {
        Client: ({ clientId }) => clientId,
        User: ({ user }) => user,
        Scopes: ({ allowedScopes }) => allowedScopes,
        Status: ({ status }) => status,
        Created: ({ createdAt }) => createdAt,
      },
    },
  );
}

function formatCredentials({ clientId, clientSecret }: ClientCredentials): Output {
  const titles = { clientId: 'Client ID', clientSecret: 'Client secret' };
  return formatRecord({ clientId, clientSecret }, titles, 'Store the secret now. It is not shown again.');
}
