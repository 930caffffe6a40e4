import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, facts, list } from '../output.js';

interface CreateOptions {
  email: string;
  workspace: string[];
  name?: string;
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and service accounts');

  user
    .command('create')
    .description('create a user who is a member of the workspaces')
    .requiredOption('--email <email>', 'unique in the service', argument.email)
    .requiredOption('--workspace <id...>', 'one or more workspaces', argument.uuids)
    .option('--name <name>', 'what people call the user', argument.name)
    .action(
      answering(async ({ users }, options: CreateOptions) => {
        const { id } = await users.create(options.email, options.workspace, options.name);
        return facts({ id }, { id: 'User' }, `Next: npm run -s operator -- client create --user ${id}`);
      }),
    );

  user
    .command('suspend')
    .alias('disable')
    .description("end a user's sessions at once; neither client credentials nor API keys work until `activate`")
    .argument('<id>', 'as `user list` shows it', argument.uuid)
    .action(
      answering(async ({ users }, id: string) => {
        const ended = await users.suspend(id);
        return facts(
          { id, status: 'suspended', ended },
          { id: 'User', status: 'Status', ended: 'Sessions ended' },
          `Back again: npm run -s operator -- user activate ${id}`,
        );
      }),
    );

  user
    .command('activate')
    .description('let a suspended user sign in again')
    .argument('<id>', 'as `user list` shows it', argument.uuid)
    .action(
      answering(async ({ users }, id: string) => {
        await users.activate(id);
        return facts({ id, status: 'active' }, { id: 'User', status: 'Status' }, 'The API keys work again too.');
      }),
    );

  user
    .command('list')
    .description('list all users')
    .action(
      answering(async ({ users }) => {
        const columns = {
          id: 'User',
          email: 'Email',
          displayName: 'Name',
          status: 'Status',
          workspaceIds: 'Workspaces',
          lastLoginAt: 'Last login',
          createdAt: 'Created',
        };
        return list(await users.list(), columns, 'There are no users.');
      }),
    );
}
