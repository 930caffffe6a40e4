import type { Command } from 'commander';
import { addListCommand, createAction, formatRecord } from '../output.js';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('keys that sign access tokens and refresh tokens');

  key
    .command('rotate')
    .description('activate the next keys and create new next keys')
    .option('--at-once', 'after a key leaked: replace all keys, which ends every token and session')
    .action(
      createAction(async ({ signingKeys }, { atOnce }: { atOnce?: true }) => {
        const signing = await (atOnce ? signingKeys.replace() : signingKeys.rotate());
        const titles = { access: 'Access tokens', refresh: 'Refresh tokens' };
        const within = `within ${signingKeys.reloadIntervalS} seconds`;
        const rotated = `Running instances sign with these keys ${within}. Earlier tokens remain valid.`;
        const replaced =
          `All sessions have ended. Running instances reject tokens of the old keys ${within}; ` +
          'sessions that begin before that may end, too.';
        return formatRecord(signing, titles, atOnce ? replaced : rotated);
      }),
    );

  addListCommand(key, 'signing keys', ({ signingKeys }) => signingKeys.list(), {
    kid: 'Key',
    use: 'Use',
    state: 'State',
    createdAt: 'Created',
    activatedAt: 'Activated',
    retiredAt: 'Retired',
    verifyUntil: 'Valid until',
  });
}
