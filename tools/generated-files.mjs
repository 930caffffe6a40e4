/** For the scripts that write files from the build: `--check` fails if a file differs. Run them from the root. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'prettier';

const BUILD = resolve('dist');

export const importBuilt = (file) => import(pathToFileURL(resolve(BUILD, file)).href);

/** Files of the build by the end of their names, relative to its folder. A build leaves those of removed sources. */
export const listBuilt = (end) =>
  readdirSync(BUILD, { recursive: true })
    .filter((file) => file.endsWith(end))
    .filter((file) => existsSync(file.replace(/\.js$/, '.ts')));

/** @param files texts by path from the root. Those in Markdown are formatted. */
export async function writeGenerated(command, files) {
  for (const [file, rendered] of Object.entries(files)) {
    const text = file.endsWith('.md') ? await format(rendered, { parser: 'markdown', printWidth: 150 }) : rendered;
    // A file that is written again would be built again.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (!process.argv.includes('--check')) writeFileSync(file, text);
    else {
      process.stderr.write(`${file} differs from the code. Run \`${command}\` and commit it.\n`);
      process.exitCode = 1;
    }
  }
}
