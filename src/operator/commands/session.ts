import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { getUserId } from '../names.js';
import { addExamples, createAction, formatList, formatRecord } from '../output.js';

const OWNER = ['--user <user>', 'owner of the sessions: email address or ID', argument.user] as const;

export function addSessionCommands(program: Command): void {
  const session = program.command('session').description('sessions of users');
  addExamples(session, 'session reset --user integration@example.com');

  const list = session
    .command('list')
    .description('list the live sessions of a user, newest first')
    .requiredOption(...OWNER)
    .action(
      createAction(async (services, { user }: { user: string }) => {
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
      }),
    );
  addExamples(list, 'session list --user integration@example.com');

  const reset = session
    .command('reset')
    .description('revoke all sessions of a user')
    .requiredOption(...OWNER)
    .action(
      createAction(async (services, { user }: { user: string }) => {
        const userId = await getUserId(services, user);
        const ended = await services.sessions.reset(userId);
        const note = ended === 1 ? '1 session was revoked.' : `${ended} sessions were revoked.`;
        return formatRecord({ userId, ended }, { userId: 'User', ended: 'Ended' }, note);
      }),
    );
  addExamples(reset, 'session reset --user integration@example.com');
}
