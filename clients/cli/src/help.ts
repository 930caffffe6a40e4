import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { EXAMPLES } from './examples.js';

/** Flags of the program that have no effect on a command, by its words. */
const UNUSED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    completion: ['--json', '--quiet', '--profile'],
    init: ['--quiet', '--profile'],
  }),
);

/** The words after `atrium`. */
function wordsOf(command: Command): string {
  const parent = command.parent;
  return parent ? `${wordsOf(parent)} ${command.name()}`.trim() : '';
}

/** The flags of the program that have an effect on a command. */
export function findGlobalFlags(command: Command): Option[] {
  let program = command;
  while (program.parent) program = program.parent;
  if (program === command) return [];
  const unused = ['--version', ...(UNUSED.get(wordsOf(command)) ?? [])];
  return program.options.filter(({ long }) => !unused.includes(long ?? ''));
}

/** A command in a list of commands, with what its own help shows first. */
export function toTerm(command: Command): string {
  const [usage] = command.usage().split('\n');
  return command.commands.length > 0 ? command.name() : `${command.name()} ${usage}`;
}

/** Adds the examples of this command and of those below it. */
export function addExamples(command: Command): void {
  const lines = EXAMPLES.get(wordsOf(command)) ?? [];
  if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const child of command.commands) addExamples(child);
}
