import { resolve } from 'node:path';
import * as argument from '../arguments.js';
import { ask } from '../confirm.js';
import { getWorkspaceId } from '../names.js';
import type { Manifest } from '../../modules/transfers/workspace-export.service.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatRecord, type Output } from '../output.js';
import { RESTORABLE_DAYS } from '../../modules/workspaces/workspaces.service.js';

export function addWorkspaceCommands(program: OperatorCommand): void {
  const workspace = program
    .command('workspace')
    .description('workspaces, each with its own tables, projects and notes')
    .examples("workspace create --name 'Vienna works'");

  workspace
    .command('create')
    .description('create a workspace')
    .requiredOption('--name <name>', 'display name', argument.name)
    .option('--slug <slug>', 'short name, unique in the service; default: derived from the name', argument.slug)
    .examples("workspace create --name 'Vienna works'")
    .run(async ({ workspaces }, options: { name: string; slug?: string }) => {
      const { id, slug } = await workspaces.create(options.name, options.slug);
      return formatRecord(
        { id, slug },
        { id: 'Workspace', slug: 'Slug' },
        `Next: npm run -s operator -- user create --email EMAIL --workspace ${slug}`,
      );
    });

  workspace
    .command('configure')
    .description('change the settings of a workspace')
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .requiredOption('--public-notes <on|off>', 'whether anonymous callers may write notes', argument.onOff)
    .examples('workspace configure vienna-works --public-notes off')
    .run(async (services, workspace: string, { publicNotes }: { publicNotes: boolean }) => {
      const id = await getWorkspaceId(services, workspace);
      const settings = await services.workspaces.changeSettings(id, { publicNotes });
      return formatRecord(
        { id, ...settings },
        { id: 'Workspace', publicNotes: 'Public notes' },
        'The setting applies immediately.',
      );
    });

  addTransferCommands(workspace);
  addDeletionCommands(workspace);

  workspace.addList('workspaces', ({ workspaces }) => workspaces.list(), {
    fields: ['id', 'slug', 'name', 'timezone', 'settings', 'createdAt', 'updatedAt', 'removalDueAt'],
    columns: {
      Slug: ({ slug }) => slug,
      Name: ({ name, removalDueAt }) => (removalDueAt ? `${name} (deleted)` : name),
      Created: ({ createdAt }) => createdAt,
      'ID in addresses': ({ id }) => id,
    },
  });
}

function addTransferCommands(workspace: OperatorCommand): void {
  workspace
    .command('export')
    .description('write a workspace into a file, as it is at one moment, without secrets')
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .requiredOption('--to <file>', 'file to write, such as vienna-works.tar.gz; it must not exist')
    .examples('workspace export vienna-works --to vienna-works.tar.gz')
    .run(async (services, workspace: string, { to }: { to: string }) => {
      const id = await getWorkspaceId(services, workspace);
      const note = `Next, with the settings of the other service: npm run -s operator -- workspace import ${to}`;
      return formatManifest(await services.workspaceExport.export(id, resolve(to)), note);
    });

  workspace
    .command('import')
    .description('create a workspace from an export, with its IDs: everything or nothing')
    .argument('<file>', 'file that `workspace export` has written')
    .option('--slug <slug>', 'another short name than the exported one', argument.slug)
    .examples('workspace import vienna-works.tar.gz', 'workspace import vienna-works.tar.gz --slug vienna-2')
    .run(async (services, file: string, { slug }: { slug?: string }) => {
      const manifest = await services.workspaceImport.import(resolve(file), slug);
      const { apiKeys, webhookSecrets } = manifest.notExported;
      const note = `Create again: ${apiKeys} API keys, the credentials of the members, and the secrets of ${webhookSecrets} subscriptions, which are disabled until then.`;
      return formatManifest(manifest, note);
    });
}

function addDeletionCommands(workspace: OperatorCommand): void {
  workspace
    .command('delete')
    .description(
      `delete a workspace: at once it does not exist for callers; ${RESTORABLE_DAYS} days later all of it is removed`,
    )
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .option('--confirm <name>', 'name of the workspace; without it, the command asks')
    .option('--now', 'remove it now; cannot be undone')
    .examples(
      "workspace delete vienna-works --confirm 'Vienna works'",
      "workspace delete vienna-works --confirm 'Vienna works' --now",
    )
    .run(async (services, workspace: string, options: { confirm?: string; now?: true }) => {
      const id = await getWorkspaceId(services, workspace);
      const { name } = await services.workspaces.getWithDeleted(id);
      const counts = await services.workspaceRemoval.count(id);
      await confirmName(name, counts, options.confirm);
      await services.workspaces.delete(id, options.now ? 0 : RESTORABLE_DAYS);
      const subscriptions = await services.subscriptions.disableAll(id);
      if (options.now) await services.workspaceRemoval.remove(id);
      const note = options.now
        ? 'All of it is removed. Backups still contain it.'
        : `To undo this within ${RESTORABLE_DAYS} days: npm run -s operator -- workspace restore ${workspace}`;
      const status = options.now ? 'removed' : 'deleted';
      const titles = { id: 'Workspace', status: 'Status', subscriptions: 'Subscriptions disabled' };
      return formatRecord({ id, status, subscriptions, counts }, titles, note);
    });

  workspace
    .command('restore')
    .description('restore a deleted workspace, as long as it is not removed')
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .examples('workspace restore vienna-works')
    .run(async (services, workspace: string) => {
      const id = await getWorkspaceId(services, workspace);
      await services.workspaces.restore(id);
      const note =
        'Credentials and API keys are valid again. Subscriptions remain disabled until an owner enables them.';
      return formatRecord({ id, status: 'active' }, { id: 'Workspace', status: 'Status' }, note);
    });
}

function formatManifest({ workspace, tables, files, notExported }: Manifest, note: string): Output {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const record = { ...workspace, rows, files: files.count, bytes: files.bytes, notExported };
  const titles = { id: 'Workspace', name: 'Name', rows: 'Rows', files: 'Files', bytes: 'Bytes of the files' };
  return formatRecord(record, titles, note);
}

/** @param given undefined: asks on the terminal, if there is one. @throws Error unless it is the name. */
async function confirmName(name: string, counts: object, given: string | undefined): Promise<void> {
  const listed = Object.entries(counts).map(([what, count]) => `${what}: ${count}`);
  const warning = `The workspace "${name}" will be deleted (${listed.join(', ')}).`;
  if ((given ?? (await ask(`${warning}\nIts name: `))) === name) return;
  throw new Error(`${warning} Nothing was deleted. To delete it, repeat the command with --confirm and its name.`);
}
