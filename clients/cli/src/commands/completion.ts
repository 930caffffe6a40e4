import { Argument } from '@commander-js/extra-typings';
import { SCRIPTS, type Shell, SHELLS } from '../completion/scripts.js';
import type { Program, Runner } from '../runner.js';

export function addCompletionCommands(program: Program, { locally }: Runner): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(
      locally(({ io }, shell) => {
        io.stdout.write(SCRIPTS[shell]);
        return Promise.resolve();
      }),
    );
  // What the scripts call.
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[before...]', 'words before the one that is completed')
    .option('--word <text>', 'the word as it is written so far', '')
    .action(
      locally(async ({ io }, shell, before, { word }) => {
        const { complete } = await import('../completion/complete.js');
        const { prefix, words } = joinAtColons([...before, word], shell);
        const found = await complete(program, words.slice(0, -1).map(unquote), unquote(words.at(-1)!), io);
        const lines = found.map(({ text, description = '' }) => {
          const rest = text.slice(prefix.length);
          return shell === 'fish' && description !== '' ? `${rest}\t${description}\n` : `${rest}\n`;
        });
        io.stdout.write(lines.join(''));
      }),
    );
}

/** Words as they are typed may be in quotes, or have characters after a backslash. */
const unquote = (word: string): string => word.replace(/\\(.)/g, '$1').replace(/^["']|["']$/g, '');

/**
 * bash separates words at colons, and replaces only what follows the last one: `read:tours`.
 *
 * @returns the words, and what bash does not replace of the last one
 */
function joinAtColons(words: string[], shell: Shell): { prefix: string; words: string[] } {
  const colon = shell === 'bash' ? words.lastIndexOf(':') : -1;
  if (colon < 1 || colon < words.length - 2) return { prefix: '', words };
  const prefix = `${words[colon - 1]!}:`;
  return { prefix, words: [...words.slice(0, colon - 1), prefix + (words[colon + 1] ?? '')] };
}
