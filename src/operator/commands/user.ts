import { Option } from 'commander';
import { ROLES, type Role } from '../../platform/security/roles.js';
import * as argument from '../arguments.js';
import { getUserId, getWorkspaceId, loadNames } from '../names.js';
import { confirm } from '../confirm.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList, formatRecord } from '../output.js';

interface CreateOptions {
  email: string;
  workspace: string[];
  name?: string;
  role?: Role;
}

interface EraseOptions {
  dryRun?: boolean;
  yes?: boolean;
}

export function addUserCommands(program: OperatorCommand): void {
  const user = program
    .command('user')
    .description('people and service accounts')
    .examples('user create --email integration@example.com --workspace vienna-works');

  user
    .command('create')
    .description('create a user, or find it by its email address, and make it a member of workspaces')
    .requiredOption('--email <email>', 'email address, unique in the service', argument.email)
    .requiredOption('--workspace <workspace...>', 'one or more workspaces: slug or ID', argument.workspaces)
    .option('--name <name>', 'display name', argument.name)
    .addOption(
      new Option(
        '--role <role>',
        'role in the workspaces; default: unchanged, for a new member editor, or owner if the workspace has no owner',
      ).choices(ROLES),
    )
    .examples(
      'user create --email integration@example.com --workspace vienna-works',
      'user create --email integration@example.com --workspace vienna-works --role owner',
    )
    .run(async (services, options: CreateOptions) => {
      const workspaceIds: string[] = [];
      for (const workspace of options.workspace) workspaceIds.push(await getWorkspaceId(services, workspace));
      const { id, email } = await services.userAdministration.create(
        options.email,
        [...new Set(workspaceIds)],
        options.name,
        options.role,
      );
      return formatRecord({ id }, { id: 'User' }, `Next: npm run -s operator -- client create --user ${email}`);
    });

  user
    .command('suspend')
    .alias('disable')
    .description(
      'revoke all sessions of a user, and reject its credentials and API keys in all workspaces until `activate`',
    )
    .argument('<user>', 'email address or ID', argument.user)
    .examples('user suspend integration@example.com')
    .run(async (services, user: string) => {
      const id = await getUserId(services, user);
      const ended = await services.userAdministration.suspend(id);
      return formatRecord(
        { id, status: 'suspended', ended },
        { id: 'User', status: 'Status', ended: 'Sessions ended' },
        `To undo this: npm run -s operator -- user activate ${user}`,
      );
    });

  user
    .command('activate')
    .description('activate a suspended user')
    .argument('<user>', 'email address or ID', argument.user)
    .examples('user activate integration@example.com')
    .run(async (services, user: string) => {
      const id = await getUserId(services, user);
      await services.userAdministration.activate(id);
      return formatRecord(
        { id, status: 'active' },
        { id: 'User', status: 'Status' },
        'Credentials and API keys are valid again.',
      );
    });

  user
    .command('delete')
    .description('delete a user with all memberships, credentials and sessions; cannot be undone')
    .argument('<user>', 'email address or ID', argument.user)
    .option('--yes', 'do not ask')
    .examples('user delete integration@example.com')
    .run(async (services, user: string, { yes = false }: { yes?: boolean }) => {
      const id = await getUserId(services, user);
      if (!yes) {
        const { email } = await services.users.get(id);
        await confirm(
          `${email} loses all memberships, sessions, clients and API keys, also as the last owner of a workspace. ` +
            'This cannot be undone. Delete the user?',
        );
      }
      await services.userAdministration.delete(id);
      return formatRecord(
        { id, status: 'deleted' },
        { id: 'User', status: 'Status' },
        'Records and the audit log contain the ID of the user as before.',
      );
    });

  user
    .command('erase')
    .description(
      'replace the name and email address of a user by a pseudonym in all records; end all access; cannot be undone',
    )
    .argument('<user>', 'email address or ID', argument.user)
    .option('--dry-run', 'report the numbers and change nothing')
    .option('--yes', 'do not ask')
    .examples('user erase maria.gruber@example.com --dry-run', 'user erase maria.gruber@example.com')
    .run(async (services, user: string, { dryRun = false, yes = false }: EraseOptions) => {
      const id = await getUserId(services, user);
      const { email } = await services.users.getOrErased(id);
      if (!dryRun && !yes) {
        const pseudonym = services.userErasure.toPseudonym(id);
        await confirm(
          `${email} can never sign in again. Sessions, clients and API keys are deleted, all memberships end, and ` +
            `${pseudonym} replaces the name in users, notes, history, events and the audit log. ` +
            'This cannot be undone. Erase the user?',
        );
      }
      const report = await services.userErasure.erase(id, dryRun);
      const counts = Object.entries(report.records).map(([table, records]) => ({ table, records }));
      const { text } = formatList(
        counts,
        {
          fields: ['table', 'records'],
          columns: { Table: ({ table }) => table, Records: ({ records }) => records },
        },
        'There is nothing to erase.',
      );
      const note = dryRun ? 'Nothing was changed.' : `The user is ${report.pseudonym} now.`;
      return { json: { ...report, dryRun }, text: `${text}\n\n${note} Cells of tables are unchanged.` };
    });

  user.addList(
    'users',
    async (services) => {
      const names = await loadNames(services);
      const users = await services.userAdministration.list();
      return users.map((each) => ({ ...each, workspaces: each.workspaceIds.map((id) => names.workspace(id)) }));
    },
    {
      fields: [
        'id',
        'email',
        'displayName',
        'status',
        'workspaceIds',
        'workspaces',
        'roles',
        'lastLoginAt',
        'createdAt',
      ],
      columns: {
        Email: ({ email }) => email,
        Name: ({ displayName }) => displayName,
        Status: ({ status }) => status,
        Workspaces: ({ workspaces, roles }) => workspaces.map((name, index) => `${name} (${roles[index]})`),
        'Last login': ({ lastLoginAt }) => lastLoginAt,
      },
    },
  );
}
