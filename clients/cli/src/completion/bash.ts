import { type CommandModel, type FlagModel, listLeaves, type NameKind } from './command-model.js';

/** A new installation of zsh has no completion until it is loaded. */
const ZSH = [
  'whence compdef > /dev/null || { autoload -U compinit && compinit -i; }',
  'autoload -U +X bashcompinit && bashcompinit',
];

/** Names may contain spaces, and the typed word may begin with a quote. */
const NAMES = [
  '_atrium_names() {',
  '  local current="${2//\\\\/}" name word previous="" profile=""',
  '  current="${current#[\\"\\\']}"',
  '  for word in "${COMP_WORDS[@]}"; do [[ "$previous" == --profile ]] && profile="$word"; previous="$word"; done',
  '  COMPREPLY=()',
  '  while IFS= read -r name; do',
  '    [[ "$name" == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")',
  '  done < <("${COMP_WORDS[0]}" complete "$1" ${profile:+--profile "$profile"} 2> /dev/null)',
  '}',
];

/** A script for bash, which zsh reads, too. */
export function toBash(program: CommandModel, isZsh: boolean): string {
  const leaves = listLeaves(program);
  const parents = program.commands.filter((command) => command.commands.length > 0);
  const namesOf = ({ commands }: CommandModel): string => commands.map(({ words }) => words.at(-1)!).join(' ');
  const longNamesOf = ({ flags }: CommandModel): string =>
    flags.flatMap(({ names }) => names.filter((name) => name.startsWith('--'))).join(' ');
  const flags = uniqueFlags(leaves);
  const script = [
    ...(isZsh ? ZSH : []),
    ...NAMES,
    '_atrium() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" flags="" kind=""',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...leaves.map((leaf) => `    ${patternOf(leaf)}) flags="${longNamesOf(leaf)}" ;;`),
    '  esac',
    '  case "${COMP_WORDS[1]} $COMP_CWORD" in',
    ...parents.map((parent) => `    "${parent.words[0]!} 2") words="${namesOf(parent)}" ;;`),
    ...leaves.flatMap(toArgumentCases),
    '  esac',
    `  [ "$COMP_CWORD" = 1 ] && words="${namesOf(program)}"`,
    `  [[ "$current" == -* ]] && words="\${flags:-${longNamesOf(program)}}" kind=""`,
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]} $previous" in',
    ...leaves.flatMap(toValueCases),
    '  esac',
    '  case "$previous" in',
    ...flags.filter(({ kind }) => kind).map(({ names, kind }) => `    ${names.join('|')}) kind=${kind!} ;;`),
    // The value of another flag.
    '    -*) kind="" ;;',
    '  esac',
    '  [ -n "$kind" ] && { _atrium_names "$kind" "$current"; return; }',
    // Without words, the shell completes files.
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _atrium atrium',
    '',
  ];
  return script.join('\n');
}

const patternOf = ({ words }: CommandModel): string =>
  words.length === 1 ? `"${words[0]!} "*` : `"${words.join(' ')}"`;

/** A flag may have other values in another command. */
function toValueCases(leaf: CommandModel): string[] {
  return leaf.flags
    .filter(({ values }) => values.length > 0)
    .map(({ names, values }) => {
      const patterns = names.map((name) => `${patternOf(leaf)}" ${name}"`);
      return `    ${patterns.join('|')}) words="${values.join(' ')}" kind="" ;;`;
    });
}

/** Arguments are completed only if no flags are before them. */
function toArgumentCases({ words, arguments: positions }: CommandModel): string[] {
  return positions.flatMap(({ values, kind }, index) => {
    const pattern = `    "${words[0]!} ${words.length + 1 + index}")`;
    if (kind) return [`${pattern} kind=${kind satisfies NameKind} ;;`];
    return values.length > 0 ? [`${pattern} words="${values.join(' ')}" ;;`] : [];
  });
}

/** A flag has the same kind of names in all commands that have it. */
function uniqueFlags(leaves: CommandModel[]): FlagModel[] {
  return [...new Map(leaves.flatMap(({ flags }) => flags.map((flag) => [flag.names[0]!, flag] as const))).values()];
}
