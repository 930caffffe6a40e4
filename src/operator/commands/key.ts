import type { Command } from 'commander';
import { answering, facts, list } from '../output.js';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('keys that sign access tokens and refresh tokens');

  key
    .command('rotate')
    .description('let the next keys sign, and make new ones to be next')
    .option('--at-once', 'for a key that leaked: all keys are new, and every token and session ends')
    .action(
      answering(async ({ signingKeys }, { atOnce }: { atOnce?: true }) => {
        const signing = await (atOnce ? signingKeys.replace() : signingKeys.rotate());
        const titles = { access: 'Access tokens', refresh: 'Refresh tokens' };
        const within = `within ${signingKeys.reloadIntervalS} seconds`;
        const rotated = `Running instances sign with these keys ${within}. Tokens issued before go on working.`;
        const replaced =
          `All sessions have ended. Running instances refuse what the old keys signed ${within}; ` +
          'whoever signs in before that may have to do so again.';
        return facts(signing, titles, atOnce ? replaced : rotated);
      }),
    );

  key
    .command('list')
    .description('list all signing keys')
    .action(
      answering(async ({ signingKeys }) => {
        const columns = {
          kid: 'Key',
          use: 'Use',
          state: 'State',
          createdAt: 'Created',
          activatedAt: 'Activated',
          retiredAt: 'Retired',
          verifyUntil: 'Verifies until',
        };
        return list(await signingKeys.list(), columns, 'There are no signing keys.');
      }),
    );
}
