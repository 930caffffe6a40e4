/**
 * Scripts that complete the word at the cursor. `atrium complete` finds what can follow, so that the shells do not know
 * the commands: it receives the word and those before it, and prints a line per completion, or `@files`.
 */
const BASH = `_atrium() {
  local found words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r found; do
    if [[ "$found" != @files ]]; then COMPREPLY+=("$(printf %q "$found")")
    # Older versions only have the names of files, without their folders.
    else compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$word")); fi
  done < <("\${COMP_WORDS[0]}" complete bash --word="$word" -- "\${words[@]}" 2> /dev/null)
}
complete -F _atrium atrium
`;

/** A new installation of zsh has no completion until it is loaded. */
const ZSH = `whence compdef > /dev/null || { autoload -U compinit && compinit -i; }
_atrium() {
  local -a found
  found=(\${(f)"$(\${words[1]} complete zsh --word="\${words[CURRENT]}" -- "\${(@Q)words[2,CURRENT-1]}" 2> /dev/null)"})
  if [[ "$found[1]" == @files ]]; then _files; else compadd -- $found; fi
}
compdef _atrium atrium
`;

const FISH = `function __atrium_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found (command $program complete fish --word="$word" -- $words 2> /dev/null)
    if contains -- @files $found
        __fish_complete_path "$word"
    else
        string join -- \\n $found
    end
end
complete -c atrium -f -a '(__atrium_complete)'
`;

/** PowerShell 5 and newer. */
const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName atrium -ScriptBlock {
  param($word, $ast, $cursor)
  $all = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  $words = @($all | Select-Object -Skip 1)
  $found = @(& $all[0] complete powershell "--word=$word" -- @words 2> $null)
  # Without a result, PowerShell completes files; an empty text is a result.
  if ($found -contains '@files') { return }
  if ($found.Count -eq 0) { return '' }
  $found | ForEach-Object {
    $text = if ($_ -match '[^\\w.-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;
export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];
