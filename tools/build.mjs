/**
 * Compiles the service into `dist/`: only the files that a change affects. `nest build` would check and write all of them,
 * which takes three times as long. The Swagger plugin and its options are those of `nest build` (nest-cli.json).
 *
 * `tools/build-if-changed.mjs` calls it.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { Step } from './progress.mjs';

const require = createRequire(import.meta.url);
// import() would search the nine megabytes for names of exports.
const ts = require('typescript');

const OUTPUT = 'dist';
const STATE = join(OUTPUT, 'tsconfig.tsbuildinfo');

/** A change of one of them may change every output. */
const CONFIGURATION = ['package-lock.json', 'tsconfig.json', 'nest-cli.json', 'tools/build.mjs'];

const formatHost = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => ts.sys.newLine,
};

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Files with errors are not compiled.
 *
 * @param clean compiles all files, also those that did not change
 * @returns whether the build succeeded
 */
export function build({ clean = false } = {}) {
  const isOutdated = CONFIGURATION.some((path) => timeOf(path) > timeOf(STATE));
  if (clean || isOutdated) rmSync(STATE, { force: true });
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(
    'tsconfig.json',
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]),
    },
  );
  const host = ts.createIncrementalCompilerHost(options);
  // As tsc does: comments are not parsed. The plugin reads those of DTOs from the text.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const step = new Step('Reading the sources');
  const program = ts.createIncrementalProgram({
    rootNames: fileNames,
    options,
    configFileParsingDiagnostics: errors,
    host,
  });
  step.end();
  check(program);
  // The diagnostics are computed before the files are written, so that the state contains them.
  const diagnostics = ts.getPreEmitDiagnostics(program);
  if (diagnostics.length > 0) return report(diagnostics);
  if (clean || isOutdated) rmSync(OUTPUT, { recursive: true, force: true });
  const writing = new Step('Writing the compiled files');
  const transformers = { before: [describeDtos(program.getProgram())] };
  const result = program.emit(undefined, undefined, undefined, false, transformers);
  removeStaleOutputs(fileNames);
  writing.end();
  return report(result.diagnostics);
}

/** Checks the affected files one after the other, which takes most of the time of a build. The program stores the diagnostics. */
function check(program) {
  const step = new Step('Checking the sources');
  const { length } = program.getSourceFiles();
  for (let checked = 1; program.getSemanticDiagnosticsOfNextAffectedFile(); checked++)
    step.report(`${checked} of ${length} files`);
  step.end();
}

/** The Swagger plugin. It is loaded with the first file that it changes, because it takes a second and few changes need it. */
function describeDtos(program) {
  const { options } = JSON.parse(readFileSync('nest-cli.json', 'utf8')).compilerOptions.plugins[0];
  const suffixes = [...options.dtoFileNameSuffix, ...options.controllerFileNameSuffix];
  return (context) => {
    let describe;
    return (file) => {
      if (!suffixes.some((suffix) => file.fileName.includes(suffix))) return file;
      describe ??= require('@nestjs/swagger/plugin').before(options, program)(context);
      return describe(file);
    };
  };
}

/** Prints the errors. @returns whether there are none. */
function report(diagnostics) {
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(diagnostics, formatHost));
  return diagnostics.length === 0;
}

/** Removes the outputs of sources that no longer exist, but not the bundles, which a running process may still load. */
function removeStaleOutputs(sources) {
  const compiled = new Set(sources.map((path) => relative('.', path).replace(/\.ts$/, '')));
  for (const path of readdirSync(OUTPUT, { recursive: true }))
    if (/^(?!(?:service|operator)\b).*\.js(\.map)?$/.test(path) && !compiled.has(path.replace(/\.js(\.map)?$/, '')))
      rmSync(join(OUTPUT, path));
}
