import { type CommandModel, listLeaves } from './command-model.js';

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
    all.flatMap(({ values, kind }, index) => {
      const found = kind ? [`@${kind}`] : values;
      return found.length > 0 ? [entry(`${words.join(' ')} ${index}`, found)] : [];
    }),
  );
  const values = new Map(
    leaves.flatMap(({ words, flags: all }) =>
      all.flatMap(({ names, values: choices, kind }) => {
        // A flag may have other values in another command.
        const key = kind ? names[0]! : `${words.join(' ')} ${names[0]!}`;
        const found = kind ? [`@${kind}`] : choices;
        return found.length > 0 ? [[key, entry(key, found)] as const] : [];
      }),
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
${[...values.values()].join('\n')}
  }
  $all = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  $typed = @($all | Select-Object -Skip 1)
  $command = ''
  if ($typed.Count -ge 1 -and $subcommands[''] -contains $typed[0]) { $command = $typed[0] }
  if ($typed.Count -ge 2 -and $subcommands[$command] -contains $typed[1]) { $command = "$command $($typed[1])" }
  $depth = @($command -split ' ' | Where-Object { $_ }).Count
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $found = if ($word -like '-*') { $flags[$command] }
    elseif ($values.ContainsKey("$command $previous")) { $values["$command $previous"] }
    elseif ($values.ContainsKey($previous)) { $values[$previous] }
    elseif ($subcommands.ContainsKey($command)) { $subcommands[$command] }
    else { $positions["$command $($typed.Count - $depth)"] }
  if ("$found" -like '@*') {
    $position = [array]::IndexOf($typed, '--profile')
    $options = if ($position -ge 0 -and $position + 1 -lt $typed.Count) { @('--profile', $typed[$position + 1]) } else { @() }
    $found = & $all[0] complete "$found".Substring(1) @options 2> $null
  }
  $start = $word.Trim("'", '"')
  $found | Where-Object { $_ -and $_.StartsWith($start, [StringComparison]::OrdinalIgnoreCase) } | ForEach-Object {
    $text = if ($_ -match '[^\\w.-]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
`;
}

function entry(key: string, values: readonly string[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return `    ${quote(key)} = @(${values.map(quote).join(', ')})`;
}
