import type { Argument, Command, Option } from 'commander';
import { findGlobalFlags } from '../help.js';

/** What a shell asks `atrium complete` for. */
export type NameKind = 'tables' | 'profiles';

export interface FlagModel {
  /** With its dashes. */
  names: string[];
  description: string;
  takesValue: boolean;
  values: readonly string[];
  kind?: NameKind;
}

export interface ArgumentModel {
  values: readonly string[];
  kind?: NameKind;
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

/** Flags and arguments whose names end with these words are completed by names that exist. */
const KINDS: Record<string, NameKind> = { table: 'tables', profile: 'profiles' };

function describeFlag({ long, short, description, required, argChoices }: Option): FlagModel {
  const kind = KINDS[(long ?? '').split('-').at(-1)!];
  return {
    names: [long, short].filter((name) => name !== undefined),
    description,
    takesValue: required,
    values: argChoices ?? [],
    ...(kind && { kind }),
  };
}

function describeArgument(argument: Argument): ArgumentModel {
  const kind = KINDS[argument.name()];
  return { values: argument.argChoices ?? [], ...(kind && { kind }) };
}
