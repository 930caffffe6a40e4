import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { createAction, formatRecord, formatList } from '../output.js';

export function addSessionCommands(program: Command): void {
  const session = program.command('session').description('sessions of users');

  session
    .command('list')
    .description('list the live sessions of a user, newest first')
    .requiredOption('--user <id>', 'owner of the sessions', argument.uuid)
    .action(
      createAction(async ({ users, sessions }, { user }: { user: string }) => {
        await users.get(user);
        const columns = {
          id: 'Session',
          clientId: 'Client',
          createdAt: 'Created',
          lastUsedAt: 'Last used',
          refreshExpiresAt: 'Expires',
        };
        return formatList(await sessions.listActive(user), columns, 'The user has no live sessions.');
      }),
    );

  session
    .command('reset')
    .description('revoke all sessions of a user')
    .requiredOption('--user <id>', 'owner of the sessions', argument.uuid)
    .action(
      createAction(async ({ sessions }, { user }: { user: string }) => {
        const ended = await sessions.reset(user);
        const note = ended === 1 ? '1 session was revoked.' : `${ended} sessions were revoked.`;
        return formatRecord({ userId: user, ended }, { userId: 'User', ended: 'Ended' }, note);
      }),
    );
}
