import * as argument from '../arguments.js';
import { getUserId } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList, formatRecord } from '../output.js';

const OWNER = ['--user <user>', 'owner of the sessions: email address or ID', argument.user] as const;

export function addSessionCommands(program: OperatorCommand): void {
  const session = program
    .command('session')
    .description('sessions of users')
    .examples('session reset --user integration@example.com');

  session
    .command('list')
    .description('list the live sessions of a user, newest first')
    .requiredOption(...OWNER)
    .examples('session list --user integration@example.com')
    .run(async (services, { user }: { user: string }) => {
      const { id } = await services.users.get(await getUserId(services, user));
      return formatList(
        await services.sessions.listActive(id),
        {
          fields: ['id', 'clientId', 'scopes', 'createdAt', 'lastUsedAt', 'refreshExpiresAt'],
          columns: {
            Client: ({ clientId }) => clientId,
            Created: ({ createdAt }) => createdAt,
            'Last used': ({ lastUsedAt }) => lastUsedAt,
            Expires: ({ refreshExpiresAt }) => refreshExpiresAt,
          },
        },
        'The user has no live sessions.',
      );
    });

  session
    .command('reset')
    .description('revoke all sessions of a user')
    .requiredOption(...OWNER)
    .examples('session reset --user integration@example.com')
    .run(async (services, { user }: { user: string }) => {
      const userId = await getUserId(services, user);
      const ended = await services.sessions.reset(userId);
      const note = ended === 1 ? '1 session was revoked.' : `${ended} sessions were revoked.`;
      return formatRecord({ userId, ended }, { userId: 'User', ended: 'Ended' }, note);
    });
}
