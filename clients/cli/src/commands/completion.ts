import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { toBash } from '../completion/bash.js';
import { describeCommand, type NameKind } from '../completion/command-model.js';
import { toFish } from '../completion/fish.js';
import { toPowerShell } from '../completion/powershell.js';
import { openContext, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { listProfiles } from '../profiles.js';
import type { OpenApiDocument } from '../sample-event.js';

export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Prints a script that completes commands, flags, files, and what else is known of values. */
export function printCompletion(shell: Shell, program: Command, io: Io): Promise<void> {
  const model = describeCommand(program);
  const scripts = {
    bash: () => toBash(model, false),
    zsh: () => toBash(model, true),
    fish: () => toFish(model),
    powershell: () => toPowerShell(model),
  };
  io.stdout.write(scripts[shell]());
  return Promise.resolve();
}

/** A person waits for the names. */
const LIMIT_MS = 3_000;

const READERS: Record<NameKind, (flags: GlobalFlags, io: Io) => Promise<readonly string[]>> = {
  tables: listTables,
  profiles: (_, io) => listProfiles(io),
  'event-types': async (flags, io) => Object.keys((await readDocument(flags, io)).webhooks),
  scopes: (flags, io) => readSchema('Scope', flags, io),
  'search-kinds': (flags, io) => readSchema('SearchKind', flags, io),
  'audit-kinds': (flags, io) => readSchema('AuditKind', flags, io),
};

/** Names for the scripts, one per line; none if they cannot be read in time. */
export async function printNames(kind: NameKind, flags: GlobalFlags, io: Io): Promise<void> {
  const limit = new AbortController();
  const reading = READERS[kind](flags, io).catch(() => []);
  const names = await Promise.race([reading, setTimeout(LIMIT_MS, [], { signal: limit.signal })]);
  limit.abort();
  io.stdout.write(names.map((name) => `${name}\n`).join(''));
}

async function listTables(flags: GlobalFlags, io: Io): Promise<string[]> {
  const { client } = await openContext({ ...flags, quiet: true }, io);
  const names = new Set<string>();
  for await (const { name } of client.tables()) names.add(name);
  return [...names].sort((name, other) => name.localeCompare(other));
}

/** The values of a schema. */
async function readSchema(name: string, flags: GlobalFlags, io: Io): Promise<readonly string[]> {
  return (await readDocument(flags, io)).components.schemas[name]!.enum as string[];
}

async function readDocument(flags: GlobalFlags, io: Io): Promise<OpenApiDocument> {
  const { client } = await openSession({ ...flags, quiet: true }, io);
  return (await (await client.request('GET', '/openapi.json')).json()) as OpenApiDocument;
}
