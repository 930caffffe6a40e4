import {
  type AtriumClient,
  type DeletionReport,
  type Entity,
  NotFoundError,
  type Table,
  type TableClient,
  type Value,
  type WrittenRow,
} from '@atrium/client';
import { findColumn } from '../columns.js';
import { confirm } from '../confirm.js';
import { findTable, openContext } from '../context.js';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';

interface RowFlags extends GlobalFlags {
  entity?: Entity;
}

/** Shows a row, now or as it was. */
export async function getRow(name: string, key: string, flags: RowFlags & { asOf?: string }, io: Io): Promise<void> {
  const { client, output, signal } = await openContext(flags, io);
  const { asOf } = flags;
  const table = await findTable(client, name, flags.entity);
  const advice = asOf === undefined ? '' : ` As of ${asOf} it did not exist, or had another key.`;
  const row = await table.get(key, { asOf, signal }).catch(toMissingRow(table, key, advice));
  if (output.json) output.printJson(row);
  else output.fields(Object.fromEntries(Object.entries(row).map(([column, value]) => [column, String(value ?? '')])));
}

/** Changes the named values of a row; with `--create` also of one that does not exist. */
export async function setRow(
  name: string,
  key: string,
  assignments: string[],
  flags: RowFlags & { create?: boolean },
  io: Io,
): Promise<void> {
  const { client, output } = await openContext(flags, io);
  const table = await findTable(client, name, flags.entity);
  const description = await table.describe();
  const values = parseAssignments(assignments, description);
  let isCreated = false;
  const written = await table.patch(key, values).catch((error: unknown) => {
    if (!(error instanceof NotFoundError) || !flags.create)
      return toMissingRow(table, key, ' --create creates it.')(error);
    isCreated = true;
    return createRow(client, table, key, values);
  });
  for (const { column, value } of (written['unresolved'] ?? []) as { column: string; value: string }[])
    output.remark(`${column}: no row has the key ${value}.`);
  for (const { column, message } of (written['warnings'] ?? []) as { column: string; message: string }[])
    output.remark(`warning, column ${column}: ${message}`);
  output.result(written.item, () => `${isCreated ? 'Created' : 'Stored'} ${key} in ${table.entity}/${table.name}.\n`);
}

/** A row that another caller has created meanwhile is not replaced. */
function createRow(
  client: AtriumClient,
  { path }: TableClient,
  key: string,
  values: Record<string, Value>,
): Promise<WrittenRow<Record<string, Value>>> {
  return client.json('PUT', `${path}/item?${new URLSearchParams({ key }).toString()}`, {
    body: JSON.stringify(values),
    headers: { 'if-none-match': '*' },
  });
}

/** `weight=12.5`. The service converts texts by the type of the column; an empty one clears the value. */
function parseAssignments(assignments: string[], table: Table): Record<string, Value> {
  const values = new Map<string, Value>();
  for (const assignment of assignments) {
    const separator = assignment.indexOf('=');
    if (separator < 1) throw new UsageError(`"${assignment}" is not a value. Write for example weight=12.5.`);
    const name = assignment.slice(0, separator);
    const column = findColumn(table, name);
    const names = table.columns.map((each) => each.key).join(', ');
    if (!column) throw new UsageError(`The table "${table.name}" has no column "${name}". It has: ${names}.`);
    if (column.primaryKey) throw new UsageError('`atrium rename TABLE KEY NEW_KEY` changes the key of a row.');
    if (values.has(column.key)) throw new UsageError(`The column "${column.key}" is set twice.`);
    values.set(column.key, assignment.slice(separator + 1) || null);
  }
  return Object.fromEntries(values);
}

/** Asks, and deletes rows in one batch. Keys without a row are named, and end the command with code 1. */
export async function deleteRows(
  name: string,
  keys: string[],
  flags: RowFlags & { yes?: boolean },
  io: Io,
): Promise<ExitCode> {
  const context = await openContext(flags, io);
  const { client, output, signal } = context;
  const table = await findTable(client, name, flags.entity);
  const what = keys.length === 1 ? `the row ${keys[0]!}` : `${keys.length} rows`;
  await confirm(`Delete ${what} of ${table.entity}/${table.name}?`, context, {
    yes: flags.yes ?? false,
    isRequired: true,
  });
  const { totals, batchId, proposalId, items } = await client.json<DeletionReport>(
    'POST',
    `${table.path}/items/delete?return=items`,
    {
      body: JSON.stringify({ keys }),
      signal,
    },
  );
  const missing = (items ?? []).flatMap(({ index, status }) => (status === 'missing' ? [keys[index]!] : []));
  const result = { table: table.name, deleted: totals.deleted, missing, batchId, proposalId };
  if (proposalId !== undefined) {
    output.result(result, () => `The deletion waits for approval: \`atrium proposals show ${proposalId}\`.\n`);
    return EXIT.waitsForApproval;
  }
  output.result(result, () => `Deleted ${totals.deleted} of ${keys.length}.\n`);
  if (totals.deleted > 0 && batchId !== undefined) output.remark(`\`atrium undo ${batchId}\` restores them.`);
  if (missing.length === 0) return EXIT.success;
  output.remark(`These keys have no row: ${missing.join(', ')}.`);
  return EXIT.failure;
}

/** Changes the key of a row, and all parents, references and notes that name it. */
export async function renameRow(name: string, key: string, to: string, flags: RowFlags, io: Io): Promise<void> {
  const { client, output } = await openContext(flags, io);
  const table = await findTable(client, name, flags.entity);
  const renamed = await table.rename(key, to).catch(toMissingRow(table, key));
  const { children, references, ambiguous } = renamed.changed;
  output.result(
    renamed,
    () => `Renamed ${key} to ${renamed.key}: ${children} children and ${references} references follow.\n`,
  );
  if (ambiguous > 0) output.remark(`${ambiguous} references remain: another table has a row with the former key, too.`);
}

/** The message of the service does not name the table and the key. */
export const toMissingRow =
  ({ entity, name }: TableClient, key: string, advice = '') =>
  (error: unknown): never => {
    if (error instanceof NotFoundError)
      throw new UsageError(`${entity}/${name} has no row with the key "${key}".${advice}`);
    throw error;
  };
