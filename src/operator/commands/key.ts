import type { OperatorCommand } from '../operator-command.js';
import { formatRecord } from '../output.js';

export function addKeyCommands(program: OperatorCommand): void {
  const key = program
    .command('key')
    .description('keys that sign access tokens and refresh tokens')
    .examples('key rotate');

  key
    .command('rotate')
    .description('activate the next keys and create new next keys')
    .option('--at-once', 'after a key leaked: replace all keys, which ends every token and session')
    .examples('key rotate', 'key rotate --at-once')
    .run(async ({ signingKeys }, { atOnce }: { atOnce?: true }) => {
      const signing = await (atOnce ? signingKeys.replace() : signingKeys.rotate());
      const titles = { access: 'Access tokens', refresh: 'Refresh tokens' };
      const within = `within ${signingKeys.reloadIntervalS} seconds`;
      const rotated = `Running instances sign with these keys ${within}. Earlier tokens remain valid.`;
      const replaced =
        `All sessions have ended. Running instances reject tokens of the old keys ${within}; ` +
        'sessions that begin before that may end, too.';
      return formatRecord(signing, titles, atOnce ? replaced : rotated);
    });

  key.addList('signing keys', ({ signingKeys }) => signingKeys.list(), {
    fields: ['kid', 'use', 'state', 'createdAt', 'activatedAt', 'retiredAt', 'verifyUntil'],
    columns: {
      Key: ({ kid }) => kid,
      Use: ({ use }) => use,
      State: ({ state }) => state,
      Created: ({ createdAt }) => createdAt,
      'Valid until': ({ verifyUntil }) => verifyUntil,
    },
  });
}
