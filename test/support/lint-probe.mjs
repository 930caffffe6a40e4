/**
 * Lints texts as files of the repository, with the project's own rules. Reads `[{ file, text, typed }]` from standard
 * input and prints the messages of each text. A separate program, because Jest cannot load the configuration of ESLint.
 */
import { dirname, join, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import ts from 'typescript';

const samples = JSON.parse(await readAll(process.stdin));
// Each sample that needs types is a file of its own in a program of these files only: the program of the repository
// takes ten times as long.
for (const [index, sample] of samples.entries())
  if (sample.typed) sample.file = join(dirname(sample.file), `sample-${index}.ts`);

/** Rules with type information. */
const typed = linter(['atrium/runtime-types', 'atrium/own-properties'], {
  programs: [programOf(samples.filter((sample) => sample.typed))],
});

/** Rules that need only the text. */
const plain = linter(
  ['no-restricted-syntax', 'no-restricted-properties', '@typescript-eslint/no-restricted-imports'],
  {},
);

function linter(rules, parserOptions) {
  return new ESLint({
    ruleFilter: ({ ruleId }) => rules.includes(ruleId),
    overrideConfig: {
      files: ['**/*.{ts,tsx}'],
      languageOptions: { parserOptions: { project: false, ...parserOptions } },
    },
  });
}

/** A program of the samples and of the files that they import. */
function programOf(files) {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, process.cwd());
  const host = ts.createCompilerHost(options, true);
  const texts = new Map(files.map(({ file, text }) => [resolve(file), text]));
  const { readFile } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  return ts.createProgram([...texts.keys()], options, host);
}

const results = [];
for (const sample of samples) {
  const [{ messages }] = await (sample.typed ? typed : plain).lintText(sample.text, { filePath: sample.file });
  results.push(messages.map(({ message }) => message));
}
process.stdout.write(JSON.stringify(results));
