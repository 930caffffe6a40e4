import type { Argument, Command, Option } from 'commander';
import { findGlobalFlags } from '../help.js';

/** What a shell asks `atrium complete` for. */
export const NAME_KINDS = ['tables', 'profiles', 'event-types', 'scopes', 'search-kinds', 'audit-kinds'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** What is offered for a value: fixed values, names that exist, files, or nothing. */
export interface ValueModel {
  values: readonly string[];
  kind?: NameKind | 'files';
}

export interface FlagModel extends ValueModel {
  /** With its dashes. */
  names: string[];
  description: string;
  takesValue: boolean;
}

export interface ArgumentModel extends ValueModel {
  /** May it be repeated? */
  variadic: boolean;
}

/** What can follow a command on the command line. */
export interface CommandModel {
  /** After `atrium`; none for `atrium` itself. */
  words: string[];
  description: string;
  flags: FlagModel[];
  arguments: ArgumentModel[];
  /** Empty for a command that is executed. */
  commands: CommandModel[];
}

export function describeCommand(command: Command, words: string[] = []): CommandModel {
  const commands = command.createHelp().visibleCommands(command);
  return {
    words,
    description: command.description(),
    flags: [...command.options, ...findGlobalFlags(command)]
      .filter(({ hidden }) => !hidden)
      .map(describeFlag)
      .concat(HELP),
    arguments: command.registeredArguments.map(describeArgument),
    commands: commands
      .filter((child) => child.name() !== 'help')
      .map((child) => describeCommand(child, [...words, child.name()])),
  };
}

/** All commands that are executed. */
export function listLeaves(model: CommandModel): CommandModel[] {
  return model.commands.length === 0 ? [model] : model.commands.flatMap(listLeaves);
}

const HELP: FlagModel = { names: ['--help'], description: 'show the help', takesValue: false, values: [] };

/** What a value is, by its name in the help: `--layout <file>`. */
const KINDS: ReadonlyMap<string, NameKind | 'files'> = new Map(
  Object.entries({
    file: 'files',
    directory: 'files',
    table: 'tables',
    profile: 'profiles',
    'event-type': 'event-types',
    'event-types': 'event-types',
    scope: 'scopes',
    kinds: 'search-kinds',
    'entry-kind': 'audit-kinds',
  }),
);

function describeFlag({ flags, long, short, description, required, argChoices }: Option): FlagModel {
  const [, name = ''] = /<(.+)>/.exec(flags) ?? [];
  return {
    names: [long, short].filter((name) => name !== undefined),
    description,
    takesValue: required,
    values: argChoices ?? [],
    kind: KINDS.get(name),
  };
}

function describeArgument(argument: Argument): ArgumentModel {
  return { variadic: argument.variadic, values: argument.argChoices ?? [], kind: KINDS.get(argument.name()) };
}
