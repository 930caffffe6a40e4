import { UsageError } from '../exit-codes.js';
import { forEachUntilAborted } from '../iteration.js';
import { entityOption } from '../options.js';
import type { Program, Runner } from '../runner.js';

export function addFollowCommand(program: Program, { onTable }: Runner): void {
  program
    .command('follow <table>')
    .description('print changes of a table as lines of JSON')
    .addOption(entityOption())
    .option('--since <revision>', 'begin after this revision; by default the current one')
    .option('--once', 'end after the changes so far')
    .action(
      onTable(async (context, flags) => {
        const { table, output, signal } = context;
        if (flags.since !== undefined && !/^\d+$/.test(flags.since))
          throw new UsageError('--since needs a revision of the table, or 0 for all rows.');
        const since = flags.since === undefined ? (await table.describe()).revision : Number(flags.since);
        output.remark(`Following ${table.entity}/${table.name} from revision ${since}. End with Ctrl-C.`);
        const changes = table.changes({ since, follow: !flags.once, signal });
        await forEachUntilAborted(changes, context, (change) => output.printLine(change));
      }),
    );
}
