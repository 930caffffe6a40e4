import type { AggregateGroup, Measure, Row } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import { UsageError } from '../exit-codes.js';
import { toArray } from '../iteration.js';
import { asOfOption, collect, entityOption, parseCount } from '../options.js';
import type { Program, Runner } from '../runner.js';

/** Measures of columns, which are also the names of their flags. */
const MEASURES = ['sum', 'avg', 'min', 'max', 'countDistinct'] as const;

export function addQueryCommand(program: Program, { onTable }: Runner): void {
  program
    .command('query <table>')
    .description('print rows, or groups of rows with counts and sums')
    .addOption(entityOption())
    .option('--where <condition>', "for example 'weight>=100' or location.name^=Cooling; repeatable", collect)
    .option('--group <columns>', 'for example plant,installed:month; repeatable', collect)
    .option('--count', 'number of rows of each group; the default')
    .option('--sum <columns>', 'repeatable, as all measures', collect)
    .option('--avg <columns>', 'mean value', collect)
    .option('--min <columns>', 'lowest value', collect)
    .option('--max <columns>', 'highest value', collect)
    .option('--count-distinct <columns>', 'number of different values', collect)
    .option('--having <condition>', "on groups and measures, for example 'count>=10'; repeatable", collect)
    .option('--sort <terms>', 'for example -count,plant; - means descending')
    .option('--fields <columns>', 'of rows; all by default')
    .option('--under <key>', 'this row and its subtree')
    .addOption(asOfOption())
    .option('--limit <number>', 'first rows or groups', parseCount, 100)
    .action(
      onTable(async ({ table, output, signal }, flags) => {
        const { where = [], having, under, sort, asOf, limit } = flags;
        const measures = listMeasures(flags);
        const group = flags.group && splitAll(flags.group);
        const selection = { filter: parseConditions(where), under, sort, asOf, limit, signal };
        if (group === undefined && measures.length === 0) {
          if (having !== undefined) throw new UsageError('--having needs --group or a measure.');
          const fields = flags.fields?.split(',');
          const rows = await toArray(table.rows({ ...selection, fields }), limit);
          const columns = fields ? Object.keys(rows[0] ?? {}) : (await table.describe()).columns.map(({ key }) => key);
          await output.table(rows, columns, toExactCells);
          return;
        }
        if (flags.fields !== undefined) throw new UsageError('--fields is for rows, not for groups.');
        const aggregate = { group, measures: measures.length > 0 ? measures : undefined };
        const found = table.aggregate({ ...selection, ...aggregate, having: parseConditions(having ?? []) });
        const groups = await toArray(found, limit);
        const toCells = (each: AggregateGroup) => toExactCells({ ...each.group, ...each.measures });
        await output.table(groups, Object.keys(groups[0] ? toCells(groups[0]) : {}), toCells);
      }),
    );
}

/** Values as they are stored: a table would show numbers as counts, rounded and with separators. */
function toExactCells(values: Row): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value ?? '')]));
}

const splitAll = (lists: string[]): string[] => lists.flatMap((list) => list.split(','));

function listMeasures({
  count,
  ...columns
}: { count?: true | undefined } & Partial<Record<(typeof MEASURES)[number], string[]>>): Measure[] {
  const ofColumns = MEASURES.flatMap((name) =>
    splitAll(columns[name] ?? []).map((column): Measure => `${name}(${column})`),
  );
  return count ? ['count', ...ofColumns] : ofColumns;
}
