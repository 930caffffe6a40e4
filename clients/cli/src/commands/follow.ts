import type { Entity } from '@atrium/client';
import { findTable, openContext } from '../context.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';

/** Prints changes as lines of JSON, until Ctrl-C. */
export async function follow(
  name: string,
  flags: GlobalFlags & { entity?: Entity; since?: string; once?: boolean },
  io: Io,
): Promise<void> {
  if (flags.since !== undefined && !/^\d+$/.test(flags.since))
    throw new UsageError('--since needs a revision of the table, or 0 for all rows.');
  const { client, output, signal } = await openContext(flags, io);
  const table = await findTable(client, name, flags.entity);
  const since = flags.since === undefined ? (await table.describe()).revision : Number(flags.since);
  output.remark(`Following ${table.entity}/${table.name} from revision ${since}. End with Ctrl-C.`);
  try {
    for await (const change of table.changes({ since, follow: !flags.once, signal }))
      io.stdout.write(`${JSON.stringify(change)}\n`);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
