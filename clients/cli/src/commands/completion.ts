import type { Command } from 'commander';
import { UsageError } from '../exit-codes.js';

/** Prints a script that completes commands and flags. zsh reads that of bash. */
export function printCompletion(shell: string, program: Command): Promise<void> {
  if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('Completion exists for bash and zsh.');
  const flagsOf = (command: Command): string => command.options.map(({ long }) => long).join(' ');
  const cases = program.commands.map(
    (command) =>
      `    ${command.name()}) words="${[...command.commands.map((sub) => sub.name()), flagsOf(command)].join(' ').trim()}" ;;`,
  );
  const commands = program.commands.map((command) => command.name()).join(' ');
  const script = [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_atrium() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" = 1 ] && words="${commands}"`,
    `  COMPREPLY=($(compgen -W "$words ${flagsOf(program)}" -- "$current"))`,
    '  [ "${#COMPREPLY[@]}" = 0 ] && COMPREPLY=($(compgen -f -- "$current"))',
    '}',
    'complete -F _atrium atrium',
    '',
  ];
  process.stdout.write(script.join('\n'));
  return Promise.resolve();
}
