import { findTable, openContext, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Entity } from '@atrium/client';
import type { Io } from '../io.js';

export async function workspaces(flags: GlobalFlags, io: Io): Promise<void> {
  const { client, output } = await openSession(flags, io);
  const found: Record<string, unknown>[] = [];
  for await (const { id, name, slug, timezone } of client.paginate('/v1/api/workspaces'))
    found.push({ id, name, slug, timezone });
  await output.table(found, ['id', 'name', 'slug', 'timezone']);
}

export async function tables(flags: GlobalFlags & { entity?: Entity }, io: Io): Promise<void> {
  const { client, output } = await openContext(flags, io);
  const found: Record<string, unknown>[] = [];
  for await (const { type: entity, name, columnCount: columns, revision, id } of client.tables())
    if (flags.entity === undefined || entity === flags.entity) found.push({ entity, name, columns, revision, id });
  await output.table(found, ['entity', 'name', 'columns', 'revision', 'id']);
}

export async function describe(name: string, flags: GlobalFlags & { entity?: Entity }, io: Io): Promise<void> {
  const { client, output } = await openContext(flags, io);
  const table = await (await findTable(client, name, flags.entity)).describe();
  const columns = table.columns.map(({ key, name: title, type, primaryKey, required, options }) => ({
    key,
    name: title,
    type: primaryKey ? `${type}, primary key` : type,
    required: required ? 'yes' : '',
    options: Object.keys(options).length > 0 ? JSON.stringify(options) : '',
  }));
  if (output.json) output.printJson(table);
  else {
    output.line(`${table.type}/${table.name}, revision ${table.revision}, ID ${table.id}`, 'bold');
    await output.table(columns, ['key', 'name', 'type', 'required', 'options']);
  }
}
