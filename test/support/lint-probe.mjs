/**
 * Lints texts as if they stood in files of the house, by the house's own rules alone. Reads `[{ file, text, typed }]`
 * from standard input and prints the messages of each. A program of its own, since Jest cannot load ESLint's
 * configuration.
 */
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';

/** Asks the compiler, which takes a while, and which must know the file. */
const typed = linter(['house/runtime-types'], {
  // In CI the parser would read the files from the disk and never look at the texts.
  disallowAutomaticSingleRunInference: true,
});

/** Looks at the text alone. */
const plain = linter(['no-restricted-syntax', 'no-restricted-properties', '@typescript-eslint/no-restricted-imports'], {
  project: false,
});

function linter(rules, parserOptions) {
  return new ESLint({
    ruleFilter: ({ ruleId }) => rules.includes(ruleId),
    overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } },
  });
}

const answers = [];
for (const sample of JSON.parse(await readAll(process.stdin))) {
  const [{ messages }] = await (sample.typed ? typed : plain).lintText(sample.text, { filePath: sample.file });
  answers.push(messages.map(({ message }) => message));
}
process.stdout.write(JSON.stringify(answers));
