import { resolve } from 'node:path';
import type { FileCopies } from '../../modules/attachments/file-backup.service.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList, formatRecord, type Output } from '../output.js';

export function addBackupCommands(program: OperatorCommand): void {
  const backup = program
    .command('backup')
    .description('files of a backup, and the last step of a restore')
    .examples('backup files /backup/files');

  backup
    .command('files')
    .description('copy all files of attachments into a folder; files that it has are not copied again')
    .argument('<folder>', 'folder of the backup; it is created')
    .option('--verify', 'read the files that the folder has, and copy damaged ones again')
    .examples('backup files /backup/files', 'backup files /backup/files --verify')
    .run(async (services, folder: string, { verify = false }: { verify?: boolean }) =>
      formatCopies(await services.backup.backUp(resolve(folder), verify)),
    );

  backup
    .command('restore-files')
    .description(
      'store the files of a backup that the storage lacks or that are damaged there; restore the database first',
    )
    .argument('<folder>', 'folder of the backup')
    .examples('backup restore-files /backup/files')
    .run(async (services, folder: string) => formatCopies(await services.backup.restore(resolve(folder))));

  backup
    .command('finish-restore')
    .description('let readers of changes and events read everything again; call it before the service starts')
    .examples('backup finish-restore')
    .run(async ({ workspaces, tables, events }) => {
      const counts = { workspaces: 0, tables: 0, postponedRemovals: await workspaces.postponeRemovals() };
      for (const { id } of await workspaces.list()) {
        counts.tables += await tables.skipRevisions(id);
        await events.skipNumbers(id);
        counts.workspaces += 1;
      }
      const note = 'Positions of readers from before the restore are rejected with 410.';
      const titles = { workspaces: 'Workspaces', tables: 'Tables', postponedRemovals: 'Removals in a day' };
      return formatRecord(counts, titles, note);
    });
}

/** Errors set the exit code 1. */
function formatCopies({ errors, ...counts }: FileCopies): Output {
  if (errors.length > 0) process.exitCode = 1;
  const { copied, bytes, present } = counts;
  const list = formatList(
    errors,
    {
      fields: ['problem', 'key', 'attachments'],
      columns: { Problem: ({ problem }) => problem, File: ({ key }) => key },
    },
    'Every attachment has its file.',
  );
  const summary = `${copied} files copied (${bytes} bytes); ${present} were present.`;
  return { json: { ...counts, errors }, text: `${summary}\n${list.text}` };
}
