import type { Command } from 'commander';
import { createAction } from '../output.js';

export function addTableCommands(program: Command): void {
  program
    .command('tables')
    .description('workspace tables')
    .command('upgrade')
    .description('upgrade all tables to the current layout; otherwise the first write upgrades a table')
    .action(
      createAction(async ({ tableLayouts }) => {
        const upgraded = await tableLayouts.upgradeAll();
        return { json: { upgraded }, text: upgraded === 1 ? '1 table upgraded' : `${upgraded} tables upgraded` };
      }),
    );
}
