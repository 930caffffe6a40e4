import type { Command } from 'commander';
import { toBash } from '../completion/bash.js';
import { describeCommand, type NameKind } from '../completion/command-model.js';
import { toFish } from '../completion/fish.js';
import { toPowerShell } from '../completion/powershell.js';
import { openContext, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { listProfiles } from '../profiles.js';
import type { OpenApiDocument } from '../sample-event.js';

export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Prints a script that completes commands, flags, files, and what else is known of values. */
export function printCompletion(shell: Shell, program: Command): Promise<void> {
  const model = describeCommand(program);
  const scripts = {
    bash: () => toBash(model, false),
    zsh: () => toBash(model, true),
    fish: () => toFish(model),
    powershell: () => toPowerShell(model),
  };
  process.stdout.write(scripts[shell]());
  return Promise.resolve();
}

/** A person waits for the names. */
const LIMIT_MS = 3_000;

const READERS: Record<NameKind, (flags: GlobalFlags) => Promise<readonly string[]>> = {
  tables: listTables,
  profiles: () => listProfiles(),
  'event-types': async (flags) => Object.keys((await readDocument(flags)).webhooks),
  scopes: (flags) => readSchema('Scope', flags),
  'search-kinds': (flags) => readSchema('SearchKind', flags),
  'audit-kinds': (flags) => readSchema('AuditKind', flags),
};

/** Names for the scripts, one per line; none if they cannot be read in time. */
export async function printNames(kind: NameKind, flags: GlobalFlags): Promise<void> {
  setTimeout(() => process.exit(0), LIMIT_MS).unref();
  const names = READERS[kind](flags);
  process.stdout.write((await names.catch(() => [])).map((name) => `${name}\n`).join(''));
}

async function listTables(flags: GlobalFlags): Promise<string[]> {
  const { client } = await openContext({ ...flags, quiet: true });
  const names = new Set<string>();
  for await (const { name } of client.tables()) names.add(name);
  return [...names].sort((name, other) => name.localeCompare(other));
}

/** The values of a schema. */
async function readSchema(name: string, flags: GlobalFlags): Promise<readonly string[]> {
  return (await readDocument(flags)).components.schemas[name]!.enum as string[];
}

async function readDocument(flags: GlobalFlags): Promise<OpenApiDocument> {
  const { client } = await openSession({ ...flags, quiet: true });
  return (await (await client.request('GET', '/openapi.json')).json()) as OpenApiDocument;
}
