import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, facts, list } from '../output.js';

export function addWorkspaceCommands(program: Command): void {
  const workspace = program
    .command('workspace')
    .description('tenants, each with tables, projects and notes of its own');

  workspace
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'what people call it', argument.name)
    .option('--slug <slug>', 'its short name, unique in the service; made from the name by default', argument.slug)
    .action(
      answering(async ({ workspaces }, options: { name: string; slug?: string }) => {
        const { id } = await workspaces.create(options.name, options.slug);
        return facts(
          { id },
          { id: 'Workspace' },
          `Next: npm run -s operator -- user create --email EMAIL --workspace ${id}`,
        );
      }),
    );

  workspace
    .command('configure')
    .description('change what a workspace decides for itself')
    .argument('<id>', 'as `workspace list` shows it', argument.uuid)
    .requiredOption('--public-notes <on|off>', 'may callers without credentials write notes here', argument.onOff)
    .action(
      answering(async ({ workspaces }, id: string, { publicNotes }: { publicNotes: boolean }) => {
        const settings = await workspaces.changeSettings(id, { publicNotes });
        return facts({ id, ...settings }, { id: 'Workspace', publicNotes: 'Public notes' }, 'It holds from now on.');
      }),
    );

  workspace
    .command('list')
    .description('list all workspaces')
    .action(
      answering(async ({ workspaces }) => {
        const columns = { id: 'Workspace', slug: 'Slug', name: 'Name', createdAt: 'Created' };
        return list(await workspaces.list(), columns, 'There are no workspaces.');
      }),
    );
}
