/**
 * Lints texts as files of the repository, with the project's own rules. Reads `[{ file, text, typed }]` from standard input
 * and prints the messages of each text. A separate program, because Jest cannot load the configuration of ESLint.
 */
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';

/** Rules with type information: slower, and the file must exist. */
const typed = linter(['atrium/runtime-types'], {
  // In CI the parser would otherwise read the files from disk instead of the texts.
  disallowAutomaticSingleRunInference: true,
});

/** Rules that need only the text. */
const plain = linter(['no-restricted-syntax', 'no-restricted-properties', '@typescript-eslint/no-restricted-imports'], {
  project: false,
});

function linter(rules, parserOptions) {
  return new ESLint({
    ruleFilter: ({ ruleId }) => rules.includes(ruleId),
    overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } },
  });
}

const results = [];
for (const sample of JSON.parse(await readAll(process.stdin))) {
  const [{ messages }] = await (sample.typed ? typed : plain).lintText(sample.text, { filePath: sample.file });
  results.push(messages.map(({ message }) => message));
}
process.stdout.write(JSON.stringify(results));
