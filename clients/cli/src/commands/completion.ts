import type { Command } from 'commander';

/** A new installation of zsh has no completion until it is loaded. */
const ZSH = [
  'whence compdef > /dev/null || { autoload -U compinit && compinit -i; }',
  'autoload -U +X bashcompinit && bashcompinit',
];

/** Prints a script that completes commands, flags, their values and files. zsh reads that of bash. */
export function printCompletion(shell: string, program: Command): Promise<void> {
  const flagsOf = (command: Command): string => [...command.options.map(({ long }) => long), '--help'].join(' ');
  const namesOf = (command: Command): string => command.commands.map((sub) => sub.name()).join(' ');
  const parents = program.commands.filter((command) => command.commands.length > 0);
  const leaves = program.commands.filter((command) => command.commands.length === 0);
  const nested = parents.flatMap((parent) => parent.commands.map((sub) => ({ parent, sub })));
  const choices = new Map(
    [...leaves, ...nested.map(({ sub }) => sub)].flatMap((command) =>
      command.options.flatMap(({ long, argChoices }) => (argChoices ? [[long!, argChoices.join(' ')] as const] : [])),
    ),
  );
  const values = leaves.flatMap((command) => {
    const { argChoices } = command.registeredArguments[0] ?? {};
    return argChoices ? [`    ${command.name()}) words="${argChoices.join(' ')}" ;;`] : [];
  });
  const script = [
    ...(shell === 'zsh' ? ZSH : []),
    '_atrium() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" flags=""',
    '  case "${COMP_WORDS[1]}" in',
    ...leaves.map((command) => `    ${command.name()}) flags="${flagsOf(command)}" ;;`),
    ...parents.map((command) => `    ${command.name()}) [ "$COMP_CWORD" = 2 ] && words="${namesOf(command)}" ;;`),
    '  esac',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...nested.map(({ parent, sub }) => `    "${parent.name()} ${sub.name()}") flags="${flagsOf(sub)}" ;;`),
    '  esac',
    '  [ "$COMP_CWORD" = 2 ] && case "${COMP_WORDS[1]}" in',
    ...values,
    '  esac',
    `  [ "$COMP_CWORD" = 1 ] && words="${namesOf(program)}"`,
    `  [[ "$current" == -* ]] && words="$flags ${flagsOf(program)}"`,
    '  case "$previous" in',
    ...[...choices].map(([flag, words]) => `    ${flag}) words="${words}" ;;`),
    '  esac',
    // Without words, the shell completes files.
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _atrium atrium',
    '',
  ];
  process.stdout.write(script.join('\n'));
  return Promise.resolve();
}
