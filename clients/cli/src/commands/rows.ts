import type { DeletionReport, Table, TableClient, Value, WrittenRow } from '@atrium/client';
import { describeWaiting } from '../changes.js';
import { findColumn } from '../columns.js';
import { confirm } from '../confirm.js';
import { exitCodeOf, UsageError } from '../exit-codes.js';
import { isNotFound, printWarnings, type ReportedError } from '../failure.js';
import { splitAssignment } from '../named.js';
import { asOfOption, entityOption } from '../options.js';
import type { Program, Runner, TableContext } from '../runner.js';

export function addRowCommands(program: Program, { onTable }: Runner): void {
  program
    .command('get <table> <key>')
    .description('show a row')
    .addOption(entityOption())
    .addOption(asOfOption())
    .action(
      onTable(async ({ table, output, signal }, key, { asOf }) => {
        const advice = asOf === undefined ? '' : ` As of ${asOf} it did not exist, or had another key.`;
        const row = await table.get(key, { asOf, signal }).catch(toMissingRow(table, key, advice));
        output.entry(row, (value) => String(value ?? ''));
      }),
    );
  program
    .command('set <table> <key> <column=value...>')
    .description('change values of a row; "column=" clears a value')
    .addOption(entityOption())
    .option('--create', 'create the row if it does not exist')
    .action(
      onTable(async (context, key, assignments, { create }) => {
        const { table, output } = context;
        const values = parseAssignments(assignments, await table.describe());
        let isCreated = false;
        const written = await table.patch(key, values).catch((error: unknown) => {
          if (!isNotFound(error) || !create) return toMissingRow(table, key, ' --create creates it.')(error);
          isCreated = true;
          return createRow(context, key, values);
        });
        for (const { column, value } of (written['unresolved'] ?? []) as { column: string; value: string }[])
          output.remark(`${column}: no row has the key ${value}.`);
        const warnings = (written['warnings'] ?? []) as ReportedError[];
        printWarnings(
          warnings.map(({ column, code, message }) => ({ column, code, message })),
          output,
        );
        const found = `${key} in ${table.entity}/${table.name}`;
        output.result(written.item, () => `${isCreated ? 'Created' : 'Stored'} ${found}.\n`);
      }),
    );
  program
    .command('delete <table> <key...>')
    .description('delete rows')
    .addOption(entityOption())
    .option('--yes', 'do not ask')
    .action(
      onTable(async (context, keys, flags) => {
        const { table, client, output, signal } = context;
        const what = keys.length === 1 ? `the row ${keys[0]!}` : `${keys.length} rows`;
        await confirm(`Delete ${what} of ${table.entity}/${table.name}?`, context, flags);
        const request = { body: JSON.stringify({ keys }), signal };
        const path = `${table.path}/items/delete?return=items`;
        const { totals, batchId, proposalId, items } = await client.json<DeletionReport>('POST', path, request);
        const missing = (items ?? []).flatMap(({ index, status }) => (status === 'missing' ? [keys[index]!] : []));
        const result = { table: table.name, deleted: totals.deleted, missing, batchId, proposalId };
        const isWaiting = proposalId !== undefined;
        const deleted = `Deleted ${totals.deleted} of ${keys.length}.`;
        output.result(result, () => `${isWaiting ? describeWaiting('deletion', proposalId) : deleted}\n`);
        if (totals.deleted > 0 && batchId !== undefined) output.remark(`\`atrium undo ${batchId}\` restores them.`);
        if (missing.length > 0) output.remark(`These keys have no row: ${missing.join(', ')}.`);
        return exitCodeOf({ isFailed: missing.length > 0 && !isWaiting, isWaiting });
      }),
    );
  program
    .command('rename <table> <key> <new-key>')
    .description('change the key of a row, and the parents, references and notes that name it')
    .addOption(entityOption())
    .action(
      onTable(async ({ table, output }, key, to) => {
        const renamed = await table.rename(key, to).catch(toMissingRow(table, key));
        const { children, references, ambiguous } = renamed.changed;
        const followed = `${children} children and ${references} references follow`;
        output.result(renamed, () => `Renamed ${key} to ${renamed.key}: ${followed}.\n`);
        if (ambiguous > 0)
          output.remark(`${ambiguous} references remain: another table has a row with the former key, too.`);
      }),
    );
}

/** A row that another caller has created meanwhile is not replaced. */
function createRow(
  { client, table }: TableContext,
  key: string,
  values: Record<string, Value>,
): Promise<WrittenRow<Record<string, Value>>> {
  return client.json('PUT', `${table.path}/item?${new URLSearchParams({ key }).toString()}`, {
    body: JSON.stringify(values),
    headers: { 'if-none-match': '*' },
  });
}

/** `weight=12.5`. The service converts texts by the type of the column; an empty one clears the value. */
function parseAssignments(assignments: string[], table: Table): Record<string, Value> {
  const values = new Map<string, Value>();
  for (const assignment of assignments) {
    const [name, value] = splitAssignment(assignment, 'value', 'weight=12.5');
    const column = findColumn(table, name);
    const names = table.columns.map((each) => each.key).join(', ');
    if (!column) throw new UsageError(`The table "${table.name}" has no column "${name}". It has: ${names}.`);
    if (column.primaryKey) throw new UsageError('`atrium rename TABLE KEY NEW_KEY` changes the key of a row.');
    if (values.has(column.key)) throw new UsageError(`The column "${column.key}" is set twice.`);
    values.set(column.key, value || null);
  }
  return Object.fromEntries(values);
}

/** The message of the service does not name the table and the key. */
export const toMissingRow =
  ({ entity, name }: TableClient, key: string, advice = '') =>
  (error: unknown): never => {
    if (isNotFound(error)) throw new UsageError(`${entity}/${name} has no row with the key "${key}".${advice}`);
    throw error;
  };
