import type { CommandModel, FlagModel, ValueModel } from './command-model.js';

const NAMES = [
  'function __atrium_names',
  '    set -l words (commandline -opc)',
  '    set -l position (contains -i -- --profile $words); and set -l name $words[(math $position + 1)]',
  // Not while the name of the profile is completed.
  '    test -n "$name"; and set -l profile --profile $name',
  '    command $words[1] complete $argv[1] $profile 2> /dev/null',
  'end',
];

/** A script for fish. */
export function toFish(program: CommandModel): string {
  return [...NAMES, ...describe(program), ''].join('\n');
}

function describe(command: CommandModel): string[] {
  const children = command.commands.map(({ words }) => words.at(-1)!);
  const isHere = conditionOf(command.words, children);
  return [
    ...command.commands.map(
      ({ words, description }) => `complete -c atrium -n ${isHere} -f -a ${words.at(-1)!} -d ${quote(description)}`,
    ),
    ...command.flags.map((flag) => `complete -c atrium -n ${isHere} ${toFlag(flag)}`),
    // Positions are not distinguished: files are offered if one of the arguments is a file.
    ...(command.arguments.some(({ kind }) => kind === 'files') ? [] : [`complete -c atrium -n ${isHere} -f`]),
    ...command.arguments.flatMap((argument) => {
      const source = toSource(argument);
      return source ? [`complete -c atrium -n ${isHere} -a ${source}`] : [];
    }),
    ...command.commands.flatMap(describe),
  ];
}

/** The words of the command were written, but no command below it. */
function conditionOf(words: string[], children: string[]): string {
  if (words.length === 0) return '__fish_use_subcommand';
  const conditions = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  if (children.length > 0) conditions.push(`not __fish_seen_subcommand_from ${children.join(' ')}`);
  return quote(conditions.join('; and '));
}

function toFlag(flag: FlagModel): string {
  const names = flag.names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const source = toSource(flag);
  const values = source ? `-x -a ${source}` : flag.kind === 'files' ? '-r -F' : '-x';
  return [...names, ...(flag.takesValue ? [values] : []), '-d', quote(flag.description)].join(' ');
}

function toSource({ values, kind }: ValueModel): string | undefined {
  if (kind === 'files') return undefined;
  if (kind) return `"(__atrium_names ${kind})"`;
  return values.length > 0
    ? quote(values.map((value) => (value === ' ' || value === "'" ? `"${value}"` : value)).join(' '))
    : undefined;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
