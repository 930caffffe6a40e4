import type { UpsertReport } from '@atrium/client';
import { countChanges, describeReversal, describeWaiting } from '../changes.js';
import { parseConditions } from '../conditions.js';
import { confirm } from '../confirm.js';
import { exitCodeOf, UsageError } from '../exit-codes.js';
import { formatValues } from '../import/differences.js';
import { toArray } from '../iteration.js';
import { asOfOption, collect, entityOption, parseCount } from '../options.js';
import { formatCount, formatTime, type Output } from '../output.js';
import type { Program, Runner } from '../runner.js';
import { readUserNames } from '../user-names.js';
import { toMissingRow } from './rows.js';

export function addHistoryCommands(program: Program, { onTable }: Runner): void {
  program
    .command('history <table> <key>')
    .description('list the changes of a row, the newest first: when, by whom, and which values')
    .addOption(entityOption())
    .option('--limit <number>', 'newest changes', parseCount, 50)
    .action(
      onTable(async (context, key, { limit }) => {
        const { table, output, signal } = context;
        const found = toArray(table.history(key, { signal }), limit);
        const entries = await found.catch(toMissingRow(table, key, ' It has no stored former rows, either.'));
        const authors = output.json ? [] : entries.flatMap(({ by }) => by ?? []);
        const names = await readUserNames(context, authors);
        await output.table(entries, ['time', 'revision', 'change', 'by', 'values', 'batch'], (entry) => ({
          ...entry,
          time: formatTime(entry.at),
          by: entry.by === null ? '' : (names.get(entry.by) ?? entry.by),
          values: formatValues(entry.change, entry.columns),
          batch: entry.batchId,
        }));
        const isComplete = entries.length === limit || entries.at(-1)?.change === 'created';
        if (!output.json && !isComplete) output.remark('Earlier changes of the row are not stored any more.');
      }),
    );
  program
    .command('restore <table>')
    .description('show what a restoration changes, and set rows back to a former moment')
    .addOption(entityOption())
    .addOption(asOfOption().makeOptionMandatory())
    .option('--key <key>', 'this row; repeatable', collect)
    .option('--filter <condition>', 'rows that match now or matched then; repeatable', collect)
    .option('--dry-run', 'show what would change, and store nothing')
    .option('--yes', 'do not ask')
    .action(
      onTable(async (context, { asOf, key: keys, filter, dryRun, yes }) => {
        const { table, output, signal } = context;
        const selection = { asOf, ...toSelection(keys, filter), signal };
        // Former rows that are not valid any more are rejected before the question.
        const preview = await table.restore({ ...selection, dryRun: true });
        const changed = countChanges(preview.totals);
        const described = describeRestoration(`${table.entity}/${table.name}`, asOf, preview);
        if (changed === 0 || dryRun) output.result(preview, () => `${described}\n`);
        else output.remark(described);
        remarkKeys(keys, preview, output);
        if (changed > 0 && dryRun && preview.needsApproval) output.remark('The restoration would wait for approval.');
        if (changed === 0 || dryRun) return exitCodeOf();
        await confirm('Restore them?', context, { yes });
        const report = await table.restore(selection);
        output.result(report, () => `${describeOutcome(report)}\n`);
        return exitCodeOf({ isWaiting: report.proposalId !== undefined });
      }),
    );
}

/** @throws {UsageError} if not exactly one of the flags is set */
function toSelection(keys: string[] | undefined, filter: string[] | undefined) {
  if (keys && !filter) return { keys };
  if (filter && !keys) return { filter: parseConditions(filter, { selectsWrites: true }) };
  throw new UsageError('Write which rows to restore: either --key KEY or --filter CONDITION, each repeatable.');
}

function describeRestoration(table: string, asOf: string, { totals }: UpsertReport): string {
  if (countChanges(totals) === 0) return `Nothing to restore: the rows are as they were as of ${asOf}.`;
  // A row that was deleted since is created again.
  const { created, updated, deleted = 0 } = totals;
  return `${table} as of ${asOf}: ${describeReversal({ created: deleted, updated, deleted: created })}.`;
}

function describeOutcome({ batchId, proposalId, totals }: UpsertReport): string {
  if (proposalId !== undefined) return describeWaiting('restoration', proposalId);
  // Another caller may have restored the rows while the question was shown.
  if (batchId === undefined) return 'Nothing to restore: the rows are as they were.';
  const rows = `${formatCount(countChanges(totals))} rows`;
  return `Restored ${rows} as batch ${batchId}. \`atrium undo ${batchId}\` takes it back.`;
}

function remarkKeys(keys: string[] | undefined, { missingKeys = [], totals }: UpsertReport, output: Output): void {
  const changed = countChanges(totals);
  const unchanged = new Set(keys).size - missingKeys.length - changed;
  // Without any change, the result says so of all keys.
  if (changed > 0 && unchanged > 0)
    output.remark(`${unchanged} of the keys have no difference: the row is as it was, or did not exist then and now.`);
  if (missingKeys.length > 0)
    output.remark(`No row has or had the keys ${missingKeys.map((key) => `"${key}"`).join(', ')}.`);
}
