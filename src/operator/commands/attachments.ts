import * as argument from '../arguments.js';
import { getWorkspaceId } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList } from '../output.js';

export function addAttachmentCommands(program: OperatorCommand): void {
  const attachments = program
    .command('attachments')
    .description('files of notes and messages')
    .examples('attachments verify');

  attachments
    .command('verify')
    .description('read and hash every file, and compare files with their rows; changes nothing')
    .option('--workspace <workspace>', 'only this workspace: slug or ID', argument.workspace)
    .examples('attachments verify', 'attachments verify --workspace vienna-works')
    .run(async (services, { workspace }: { workspace?: string }) => {
      const workspaceId = workspace && (await getWorkspaceId(services, workspace));
      if (workspaceId) await services.workspaces.getWithDeleted(workspaceId);
      const { errors, ...checked } = await services.files.verify(workspaceId);
      if (errors.length > 0) process.exitCode = 1;
      const { text } = formatList(
        errors,
        {
          fields: ['problem', 'key', 'attachments'],
          columns: {
            Problem: ({ problem }) => problem,
            File: ({ key }) => key,
            Attachments: ({ attachments }) => attachments,
          },
        },
        `All ${checked.files} files (${checked.bytes} bytes) match their rows.`,
      );
      return { json: { ...checked, errors }, text };
    });
}
