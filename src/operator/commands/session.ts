import type { Command } from 'commander';
import { SessionsService } from '../../modules/sessions/sessions.service.js';
import { UsersService } from '../../modules/users/users.service.js';
import * as argument from '../arguments.js';
import { answering, facts, list } from '../output.js';

export function addSessionCommands(program: Command): void {
  const session = program.command('session').description("users' signed-in sessions");

  session
    .command('list')
    .description("list a user's live sessions, the newest first")
    .requiredOption('--user <id>', 'whose', argument.uuid)
    .action(
      answering(async (services, { user }: { user: string }) => {
        await services.get(UsersService).get(user);
        const columns = {
          id: 'Session',
          clientId: 'Client',
          createdAt: 'Created',
          lastUsedAt: 'Last used',
          refreshExpiresAt: 'Expires',
        };
        return list(await services.get(SessionsService).listLive(user), columns, 'The user has no live sessions.');
      }),
    );

  session
    .command('reset')
    .description("end all of a user's sessions")
    .requiredOption('--user <id>', 'whose', argument.uuid)
    .action(
      answering(async (services, { user }: { user: string }) => {
        const ended = await services.get(SessionsService).reset(user);
        return facts({ userId: user, ended }, { userId: 'User', ended: 'Ended' }, `${ended} sessions have ended.`);
      }),
    );
}
