import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { addListCommand, createAction, formatRecord } from '../output.js';

interface CreateOptions {
  email: string;
  workspace: string[];
  name?: string;
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and service accounts');

  user
    .command('create')
    .description('create a user and its memberships')
    .requiredOption('--email <email>', 'email address, unique in the service', argument.email)
    .requiredOption('--workspace <id...>', 'one or more workspaces', argument.uuids)
    .option('--name <name>', 'display name', argument.name)
    .action(
      createAction(async ({ users }, options: CreateOptions) => {
        const { id } = await users.create(options.email, options.workspace, options.name);
        return formatRecord({ id }, { id: 'User' }, `Next: npm run -s operator -- client create --user ${id}`);
      }),
    );

  user
    .command('suspend')
    .alias('disable')
    .description('revoke all sessions of a user and reject its credentials and API keys until `activate`')
    .argument('<id>', 'ID from `user list`', argument.uuid)
    .action(
      createAction(async ({ users }, id: string) => {
        const ended = await users.suspend(id);
        return formatRecord(
          { id, status: 'suspended', ended },
          { id: 'User', status: 'Status', ended: 'Sessions ended' },
          `To undo this: npm run -s operator -- user activate ${id}`,
        );
      }),
    );

  user
    .command('activate')
    .description('activate a suspended user')
    .argument('<id>', 'ID from `user list`', argument.uuid)
    .action(
      createAction(async ({ users }, id: string) => {
        await users.activate(id);
        return formatRecord(
          { id, status: 'active' },
          { id: 'User', status: 'Status' },
          'Credentials and API keys are valid again.',
        );
      }),
    );

  addListCommand(user, 'users', ({ users }) => users.list(), {
    id: 'User',
    email: 'Email',
    displayName: 'Name',
    status: 'Status',
    workspaceIds: 'Workspaces',
    lastLoginAt: 'Last login',
    createdAt: 'Created',
  });
}
