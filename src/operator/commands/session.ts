import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, facts, list } from '../output.js';

export function addSessionCommands(program: Command): void {
  const session = program.command('session').description("users' signed-in sessions");

  session
    .command('list')
    .description("list a user's live sessions, the newest first")
    .requiredOption('--user <id>', 'whose', argument.uuid)
    .action(
      answering(async ({ users, sessions }, { user }: { user: string }) => {
        await users.get(user);
        const columns = {
          id: 'Session',
          clientId: 'Client',
          createdAt: 'Created',
          lastUsedAt: 'Last used',
          refreshExpiresAt: 'Expires',
        };
        return list(await sessions.listActive(user), columns, 'The user has no live sessions.');
      }),
    );

  session
    .command('reset')
    .description("end all of a user's sessions")
    .requiredOption('--user <id>', 'whose', argument.uuid)
    .action(
      answering(async ({ sessions }, { user }: { user: string }) => {
        const ended = await sessions.reset(user);
        const note = ended === 1 ? '1 session has ended.' : `${ended} sessions have ended.`;
        return facts({ userId: user, ended }, { userId: 'User', ended: 'Ended' }, note);
      }),
    );
}
