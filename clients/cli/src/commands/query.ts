import type { AggregateGroup, Entity, Measure, Row, TableClient } from '@atrium/client';
import { parseConditions } from '../conditions.js';
import { findTable, openContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { take } from '../take.js';

/** Measures of a column by their flags. */
const MEASURES = { sum: 'sum', avg: 'avg', min: 'min', max: 'max', countDistinct: 'countDistinct' } as const;

export interface QueryFlags extends GlobalFlags, Partial<Record<keyof typeof MEASURES, string[]>> {
  entity?: Entity;
  where?: string[];
  group?: string[];
  count?: boolean;
  having?: string[];
  fields?: string;
  sort?: string;
  under?: string;
  asOf?: string;
  limit: number;
}

/** Prints selected rows, or groups of them with measures. */
export async function query(name: string, flags: QueryFlags, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const measures = listMeasures(flags);
  const isAggregate = flags.group !== undefined || measures.length > 0;
  if (isAggregate && flags.fields !== undefined) throw new UsageError('--fields is for rows, not for groups.');
  if (!isAggregate && flags.having !== undefined) throw new UsageError('--having needs --group or a measure.');
  const table = await findTable(client, name, flags.entity);
  const { under, sort, asOf } = flags;
  const selection = { filter: parseConditions(flags.where ?? []), under, sort, asOf, signal };
  if (!isAggregate) {
    const fields = flags.fields?.split(',');
    const rows = await take(table.rows({ ...selection, fields, limit: flags.limit }), flags.limit);
    await output.table(rows, fields ? Object.keys(rows[0] ?? {}) : await listColumns(table), toExactCells);
    return;
  }
  const group = flags.group?.flatMap((each) => each.split(','));
  const having = parseConditions(flags.having ?? []);
  const found = table.aggregate({
    ...selection,
    group,
    measures: measures.length > 0 ? measures : undefined,
    having,
    limit: flags.limit,
  });
  const groups = await take(found, flags.limit);
  const toCells = (each: AggregateGroup) => toExactCells({ ...each.group, ...each.measures });
  await output.table(groups, Object.keys(groups[0] ? toCells(groups[0]) : {}), toCells);
}

/** Values as they are stored: a table would show numbers as counts, rounded and with separators. */
function toExactCells(values: Row): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value ?? '')]));
}

function listMeasures(flags: QueryFlags): Measure[] {
  const names = Object.keys(MEASURES) as (keyof typeof MEASURES)[];
  const ofColumns = names.flatMap((name) =>
    (flags[name] ?? [])
      .flatMap((columns) => columns.split(','))
      .map((column): Measure => `${MEASURES[name]}(${column})`),
  );
  return flags.count ? ['count', ...ofColumns] : ofColumns;
}

async function listColumns(table: TableClient<Row>): Promise<string[]> {
  return (await table.describe()).columns.map(({ key }) => key);
}
