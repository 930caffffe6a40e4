import type { Command } from 'commander';
import * as argument from '../arguments.js';
import { answering, list } from '../output.js';

export function addAttachmentCommands(program: Command): void {
  program
    .command('attachments')
    .description('files of notes and messages')
    .command('verify')
    .description('read and hash every file, and hold files and rows against each other; changes nothing')
    .option('--workspace <id>', 'that workspace alone', argument.uuid)
    .action(
      answering(async ({ files }, { workspace }: { workspace?: string }) => {
        const { errors, ...checked } = await files.verify(workspace);
        if (errors.length > 0) process.exitCode = 1;
        const columns = { problem: 'Problem', key: 'File', attachments: 'Attachments' };
        const { text } = list(
          errors,
          columns,
          `All ${checked.files} files (${checked.bytes} bytes) are as their rows say.`,
        );
        return { json: { ...checked, errors }, text };
      }),
    );
}
