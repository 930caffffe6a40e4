import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { createAction, formatList } from '../output.js';

export function addAttachmentCommands(program: Command): void {
  program
    .command('attachments')
    .description('files of notes and messages')
    .command('verify')
    .description('read and hash every file, and compare files with their rows; changes nothing')
    .option('--workspace <id>', 'only this workspace', argument.uuid)
    .action(
      createAction(async ({ files }, { workspace }: { workspace?: string }) => {
        const { errors, ...checked } = await files.verify(workspace);
        if (errors.length > 0) process.exitCode = 1;
        const columns = { problem: 'Problem', key: 'File', attachments: 'Attachments' };
        const { text } = formatList(
          errors,
          columns,
          `All ${checked.files} files (${checked.bytes} bytes) match their rows.`,
        );
        return { json: { ...checked, errors }, text };
      }),
    );
}
