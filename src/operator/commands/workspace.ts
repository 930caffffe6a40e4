import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { getWorkspaceId } from '../names.js';
import { addExamples, addListCommand, createAction, formatRecord } from '../output.js';

export function addWorkspaceCommands(program: Command): void {
  const workspace = program
    .command('workspace')
    .description('workspaces, each with its own tables, projects and notes');
  addExamples(workspace, "workspace create --name 'Vienna works'");

  const create = workspace
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'display name', argument.name)
    .option('--slug <slug>', 'short name, unique in the service; default: derived from the name', argument.slug)
    .action(
      createAction(async ({ workspaces }, options: { name: string; slug?: string }) => {
        const { id, slug } = await workspaces.create(options.name, options.slug);
        return formatRecord(
          { id, slug },
          { id: 'Workspace', slug: 'Slug' },
          `Next: npm run -s operator -- user create --email EMAIL --workspace ${slug}`,
        );
      }),
    );
  addExamples(create, "workspace create --name 'Vienna works'");

  const configure = workspace
    .command('configure')
    .description('change the settings of a workspace')
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .requiredOption('--public-notes <on|off>', 'whether anonymous callers may write notes', argument.onOff)
    .action(
      createAction(async (services, workspace: string, { publicNotes }: { publicNotes: boolean }) => {
        const id = await getWorkspaceId(services, workspace);
        const settings = await services.workspaces.changeSettings(id, { publicNotes });
        return formatRecord(
          { id, ...settings },
          { id: 'Workspace', publicNotes: 'Public notes' },
          'The setting applies immediately.',
        );
      }),
    );

  addExamples(configure, 'workspace configure vienna-works --public-notes off');

  addListCommand(workspace, 'workspaces', ({ workspaces }) => workspaces.list(), {
    fields: ['id', 'slug', 'name', 'timezone', 'settings', 'createdAt', 'updatedAt'],
    columns: {
      Slug: ({ slug }) => slug,
      Name: ({ name }) => name,
      Created: ({ createdAt }) => createdAt,
      'ID in addresses': ({ id }) => id,
    },
  });
}
