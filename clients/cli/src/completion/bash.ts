import { type CommandModel, listLeaves, type ValueModel } from './command-model.js';

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
  '  while IFS= read -r name; do',
  '    [[ "$name" == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")',
  '  done < <("${COMP_WORDS[0]}" complete "$1" ${profile:+--profile "$profile"} 2> /dev/null)',
  '}',
];

/** The completion of bash has files with their folders; older versions only have the names. */
const BASH_END = [
  '_atrium_files() { compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$1")); }',
  'complete -F _atrium atrium',
];

/** Executes the function for bash with the options that it expects, and completes files with those of zsh. */
const ZSH_END = [
  '_atrium_files() { wants_files=1; }',
  '_atrium_zsh() {',
  '  local wants_files="" COMP_CWORD=$((CURRENT - 1))',
  '  local -a COMP_WORDS COMPREPLY',
  '  COMP_WORDS=("${words[@]}")',
  '  () { emulate -L sh; setopt kshglob noshglob braceexpand; typeset -h words; _atrium; }',
  '  if [[ -n "$wants_files" ]]; then _files; else compadd -- "${(@Q)COMPREPLY}"; fi',
  '}',
  'compdef _atrium_zsh atrium',
];

/** A script for bash, which zsh reads, too. */
export function toBash(program: CommandModel, isZsh: boolean): string {
  const leaves = listLeaves(program);
  const parents = program.commands.filter((command) => command.commands.length > 0);
  const namesOf = ({ commands }: CommandModel): string => commands.map(({ words }) => words.at(-1)!).join(' ');
  const longNamesOf = ({ flags }: CommandModel): string =>
    flags.flatMap(({ names }) => names.filter((name) => name.startsWith('--'))).join(' ');
  const script = [
    ...(isZsh ? ZSH : []),
    ...NAMES,
    '_atrium() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words="" flags="" kind=""',
    // The command, its flags that have a value, the words of its name, and the arguments before the current word.
    '  local command="" valued=" " depth=1 position=0 index=0',
    '  local joined="" at=$((COMP_CWORD-1))',
    // bash separates words at colons, and replaces only what follows the last one: read:tours.
    '  [[ "$current" == : ]] && { joined="$previous:"; current="" at=$((at-1)); }',
    '  [[ "$previous" == : ]] && { joined="${COMP_WORDS[at-1]}:"; at=$((at-2)); }',
    '  [ -n "$joined" ] && { current="$joined$current"; previous="${COMP_WORDS[at]}"; }',
    '  COMPREPLY=()',
    '  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...leaves.map((leaf) => {
      const command = `command="${leaf.words.join(' ')}" depth=${leaf.words.length}`;
      return `    ${patternOf(leaf)}) ${command} valued="${valuedOf(leaf)}" flags="${longNamesOf(leaf)}" ;;`;
    }),
    '  esac',
    '  for ((index = depth + 1; index < COMP_CWORD; index++)); do',
    '    case "$valued" in *" ${COMP_WORDS[index]} "*) ((index++)); continue ;; esac',
    '    [[ "${COMP_WORDS[index]}" == -* ]] || ((position++))',
    '  done',
    '  case "${COMP_WORDS[1]} $COMP_CWORD" in',
    ...parents.map((parent) => `    "${parent.words[0]!} 2") words="${namesOf(parent)}" ;;`),
    '  esac',
    '  [ "$COMP_CWORD" -gt "$depth" ] && case "$command $position" in',
    ...leaves.flatMap(toArgumentCases),
    '  esac',
    `  [ "$COMP_CWORD" = 1 ] && words="${namesOf(program)}"`,
    `  [[ "$current" == -* ]] && words="\${flags:-${longNamesOf(program)}}" kind=""`,
    // The value of a flag.
    '  case "$valued" in *" $previous "*) words="" kind="" ;; esac',
    '  case "$command $previous" in',
    ...leaves.flatMap(toValueCases),
    '  esac',
    '  case "$kind" in',
    '    files) _atrium_files "$current" ;;',
    '    "") COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
    '    *) _atrium_names "$kind" "$current" ;;',
    '  esac',
    '  COMPREPLY=("${COMPREPLY[@]#"$joined"}")',
    '}',
    ...(isZsh ? ZSH_END : BASH_END),
    '',
  ];
  return script.join('\n');
}

const patternOf = ({ words }: CommandModel): string =>
  words.length === 1 ? `"${words[0]!} "*` : `"${words.join(' ')}"`;

/** Each with a space on both sides. */
const valuedOf = ({ flags }: CommandModel): string =>
  ` ${flags.flatMap(({ names, takesValue }) => (takesValue ? names : [])).join(' ')} `;

const toAssignment = ({ values, kind }: ValueModel): string | undefined => {
  if (kind) return `kind=${kind}`;
  return values.length > 0 ? `words="${values.join(' ')}"` : undefined;
};

function toValueCases({ words, flags }: CommandModel): string[] {
  return flags.flatMap((flag) => {
    const assignment = flag.takesValue ? toAssignment(flag) : undefined;
    const patterns = flag.names.map((name) => `"${[...words, name].join(' ')}"`);
    return assignment ? [`    ${patterns.join('|')}) ${assignment} ;;`] : [];
  });
}

/** A repeatable argument is the last one. */
function toArgumentCases({ words, arguments: positions }: CommandModel): string[] {
  return positions.flatMap((argument, index) => {
    const assignment = toAssignment(argument);
    const pattern = argument.variadic ? `"${words.join(' ')} "*` : `"${words.join(' ')} ${index}"`;
    return assignment ? [`    ${pattern}) ${assignment} ;;`] : [];
  });
}
