import type { Command } from 'commander';
import { toBash } from '../completion/bash.js';
import { describeCommand, type NameKind } from '../completion/command-model.js';
import { toFish } from '../completion/fish.js';
import { toPowerShell } from '../completion/powershell.js';
import { openContext } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import { listProfiles } from '../profiles.js';

export type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

/** Prints a script that completes commands, flags, their values, files, and names of tables and profiles. */
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

/** The names of tables or profiles for the scripts, one per line; none if they cannot be read in time. */
export async function printNames(kind: NameKind, flags: GlobalFlags): Promise<void> {
  setTimeout(() => process.exit(0), LIMIT_MS).unref();
  const names = kind === 'profiles' ? listProfiles() : listTables(flags);
  process.stdout.write((await names.catch(() => [])).map((name) => `${name}\n`).join(''));
}

async function listTables(flags: GlobalFlags): Promise<string[]> {
  const { client } = await openContext({ ...flags, quiet: true });
  const names = new Set<string>();
  for await (const { name } of client.tables()) names.add(name);
  return [...names].sort((name, other) => name.localeCompare(other));
}
