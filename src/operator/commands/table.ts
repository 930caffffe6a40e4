import type { Command } from 'commander';
import { answering } from '../output.js';

export function addTableCommands(program: Command): void {
  program
    .command('tables')
    .description("workspaces' tables")
    .command('upgrade')
    .description('bring all tables to the newest physical layout; each is upgraded at its first write otherwise')
    .action(
      answering(async ({ tableLayouts }) => {
        const upgraded = await tableLayouts.upgradeAll();
        return { json: { upgraded }, text: upgraded === 1 ? '1 table upgraded' : `${upgraded} tables upgraded` };
      }),
    );
}
