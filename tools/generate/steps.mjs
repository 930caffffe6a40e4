/**
 * Reads the steps of docs/how-to/extending.md and applies them to a copy of the repository or to the repository itself.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import prettier from 'prettier';

/**
 * @typedef {object} Step
 * @property {string} file
 * @property {string | undefined} anchor The line above which the text is inserted; without it the text is the whole
 *   file.
 * @property {string} text
 */

/** The code blocks of the language `ts`. The sentence above each names the file. @returns {Step[]} */
export function readSteps(guide) {
  return [...guide.matchAll(/([^\n]*)\n\n```ts\n([\s\S]*?)```/g)].map(([, sentence, text]) => {
    const [, edited, anchor] = /^In `(.+?)`, above `(.+)`:$/.exec(sentence) ?? [];
    const file = edited ?? /`([^`]+\.ts)`:$/.exec(sentence)?.[1];
    if (!file) throw new Error(`docs/how-to/extending.md: no file above the code: ${sentence}`);
    return { file, anchor, text };
  });
}

/** Writes the file, or inserts the lines above the last occurrence of the anchor. @returns the name of the file. */
export async function applyStep(root, { file, anchor, text }) {
  const path = join(root, file);
  const content = anchor === undefined ? text : insert(readFileSync(path, 'utf8'), file, anchor, text);
  mkdirSync(dirname(path), { recursive: true });
  const options = await prettier.resolveConfig(path);
  writeFileSync(path, await prettier.format(content, { ...options, filepath: path }));
  return file;
}

function insert(content, file, anchor, text) {
  const lines = content.split('\n');
  const index = lines.findLastIndex((line) => line.trim() === anchor);
  if (index < 0) throw new Error(`docs/how-to/extending.md: ${file} has no line ${anchor}`);
  return [...lines.slice(0, index), text.trimEnd(), ...lines.slice(index)].join('\n');
}
