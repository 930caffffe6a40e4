import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { addListCommand, createAction, formatRecord } from '../output.js';

export function addWorkspaceCommands(program: Command): void {
  const workspace = program
    .command('workspace')
    .description('workspaces, each with its own tables, projects and notes');

  workspace
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'display name', argument.name)
    .option('--slug <slug>', 'short name, unique in the service; default: derived from the name', argument.slug)
    .action(
      createAction(async ({ workspaces }, options: { name: string; slug?: string }) => {
        const { id } = await workspaces.create(options.name, options.slug);
        return formatRecord(
          { id },
          { id: 'Workspace' },
          `Next: npm run -s operator -- user create --email EMAIL --workspace ${id}`,
        );
      }),
    );

  workspace
    .command('configure')
    .description('change the settings of a workspace')
    .argument('<id>', 'ID from `workspace list`', argument.uuid)
    .requiredOption('--public-notes <on|off>', 'whether anonymous callers may write notes', argument.onOff)
    .action(
      createAction(async ({ workspaces }, id: string, { publicNotes }: { publicNotes: boolean }) => {
        const settings = await workspaces.changeSettings(id, { publicNotes });
        return formatRecord(
          { id, ...settings },
          { id: 'Workspace', publicNotes: 'Public notes' },
          'The setting applies immediately.',
        );
      }),
    );

  addListCommand(workspace, 'workspaces', ({ workspaces }) => workspaces.list(), {
    id: 'Workspace',
    slug: 'Slug',
    name: 'Name',
    createdAt: 'Created',
  });
}
