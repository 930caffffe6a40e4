import type { Command } from 'commander';
import { addExamples, createAction } from '../output.js';

export function addTableCommands(program: Command, description: string): void {
  const upgrade = program
    .command('tables')
    .description(description)
    .command('upgrade')
    .description('upgrade all tables to the current layout; otherwise the first write upgrades a table')
    .action(
      createAction(async ({ tableLayouts }) => {
        const upgraded = await tableLayouts.upgradeAll();
        return { json: { upgraded }, text: upgraded === 1 ? '1 table upgraded' : `${upgraded} tables upgraded` };
      }),
    );
  addExamples(upgrade, 'tables upgrade');
}
