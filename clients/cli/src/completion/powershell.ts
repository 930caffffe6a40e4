import { type CommandModel, listLeaves, type ValueModel } from './command-model.js';

/** A script for PowerShell 5 and newer. */
export function toPowerShell(program: CommandModel): string {
  const groups = [program, ...program.commands.filter(({ commands }) => commands.length > 0)];
  const leaves = listLeaves(program);
  const subcommands = groups.map(({ words, commands }) =>
    entry(
      words.join(' '),
      commands.map((child) => child.words.at(-1)!),
    ),
  );
  const flags = leaves.map((leaf) =>
    entry(
      leaf.words.join(' '),
      leaf.flags.flatMap(({ names }) => names),
    ),
  );
  const positions = leaves.flatMap(({ words, arguments: all }) =>
    all.flatMap((argument, index) => {
      const found = toValues(argument);
      // A repeatable argument is the last one.
      const position = argument.variadic ? '*' : String(index);
      return found.length > 0 ? [entry(`${words.join(' ')} ${position}`, found)] : [];
    }),
  );
  // Flags without a value have no entry.
  const values = leaves.flatMap(({ words, flags: all }) =>
    all.flatMap((flag) =>
      flag.takesValue ? flag.names.map((name) => entry([...words, name].join(' '), toValues(flag))) : [],
    ),
  );
  return `Register-ArgumentCompleter -Native -CommandName atrium -ScriptBlock {
  param($word, $ast, $cursor)
  $subcommands = @{
${subcommands.join('\n')}
  }
  $flags = @{
${flags.join('\n')}
  }
  $positions = @{
${positions.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $all = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  $typed = @($all | Select-Object -Skip 1)
  $command = ''
  if ($typed.Count -ge 1 -and $subcommands[''] -contains $typed[0]) { $command = $typed[0] }
  if ($typed.Count -ge 2 -and $subcommands[$command] -contains $typed[1]) { $command = "$command $($typed[1])" }
  $depth = @($command -split ' ' | Where-Object { $_ }).Count
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $position = 0
  for ($index = $depth; $index -lt $typed.Count; $index++) {
    if ($values.ContainsKey("$command $($typed[$index])")) { $index++ }
    elseif ($typed[$index] -notlike '-*') { $position++ }
  }
  $found = if ($values.ContainsKey("$command $previous")) { $values["$command $previous"] }
    elseif ($word -like '-*') { $flags[$command] }
    elseif ($subcommands.ContainsKey($command)) { $subcommands[$command] }
    elseif ($positions.ContainsKey("$command $position")) { $positions["$command $position"] }
    else { $positions["$command *"] }
  # Without a result, PowerShell completes files.
  if ("$found" -eq '@files') { return }
  if ("$found" -like '@*') {
    $flag = [array]::IndexOf($typed, '--profile')
    $options = if ($flag -ge 0 -and $flag + 1 -lt $typed.Count) { @('--profile', $typed[$flag + 1]) } else { @() }
    $found = & $all[0] complete "$found".Substring(1) @options 2> $null
  }
  $start = $word.Trim("'", '"')
  $matching = @($found | Where-Object { $_ -and $_.StartsWith($start, [StringComparison]::OrdinalIgnoreCase) })
  # An empty text, so that PowerShell does not complete files.
  if ($matching.Count -eq 0) { return '' }
  $matching | ForEach-Object {
    $text = if ($_ -match '[^\\w.-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;
}

/** Names that exist, or files, are marked by @. */
const toValues = ({ values, kind }: ValueModel): readonly string[] => (kind ? [`@${kind}`] : values);

function entry(key: string, values: readonly string[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return `    ${quote(key)} = @(${values.map(quote).join(', ')})`;
}
