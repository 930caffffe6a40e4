import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { transform } from '@swc/core';
import { SOURCE_FOLDERS, STAMP } from './build-state.mjs';
import { DtoCompiler } from './dto-compiler.mjs';
import { Step } from './progress.mjs';
import { SWC_OPTIONS } from './swc-options.mjs';

const OUTPUT = 'dist';
/** The files that TypeScript has read for the DTOs. A change of one of them may change the output of a DTO. */
const DTO_INPUTS = join(OUTPUT, '.dto-inputs.json');

/** A change of one of them may change every output. */
const CONFIGURATION = [
  'package-lock.json',
  'tsconfig.json',
  'nest-cli.json',
  'tools/build.mjs',
  'tools/dto-compiler.mjs',
  'tools/swc-options.mjs',
];

const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Compiles the sources that changed since the last build into `dist`, file by file and without a check of the types,
 * which `npm run typecheck`, CI and editors do (docs/explanation/performance.md#build-without-type-check).
 */
export class Build {
  #dtoCompiler = new DtoCompiler();

  /**
   * The stamp is written at the end and has the time of the start: an interrupted build is repeated, and a source that
   * changed during the build is newer.
   *
   * @param clean compiles all files, also those that did not change
   * @returns whether the build succeeded; the errors are printed
   */
  async run({ clean = false } = {}) {
    const startedAt = new Date();
    if (clean || CONFIGURATION.some((path) => timeOf(path) > timeOf(STAMP)))
      rmSync(OUTPUT, { recursive: true, force: true });
    const lastBuild = timeOf(STAMP);
    const sources = findSources();
    const missing = new Set(sources.filter((path) => timeOf(outputOf(path)) === 0));
    const isChanged = (path) => timeOf(path) > lastBuild || missing.has(path);
    const errors = [
      ...(await compileFiles(sources.filter((path) => !isDto(path) && isChanged(path)))),
      ...this.#compileDtos(sources.filter(isDto), isChanged),
    ];
    process.stderr.write(errors.join('\n'));
    if (errors.length > 0) return false;
    removeStaleOutputs(sources);
    writeFileSync(STAMP, '');
    utimesSync(STAMP, startedAt, startedAt);
    return true;
  }

  /** Reads the files of the DTOs, so that the next change of a DTO is compiled within a second. */
  prepare() {
    const dtoFiles = findSources().filter(isDto);
    this.#dtoCompiler.compile(
      dtoFiles.map((path) => resolve(path)),
      () => false,
    );
  }

  #compileDtos(dtoFiles, isChanged) {
    const inputs = timeOf(DTO_INPUTS) > 0 ? JSON.parse(readFileSync(DTO_INPUTS, 'utf8')) : [];
    if (![...inputs, ...dtoFiles].some(isChanged)) return [];
    const step = new Step('Describing the DTOs');
    const absolute = dtoFiles.map((path) => resolve(path));
    const { errors, files } = this.#dtoCompiler.compile(absolute, (path) => isChanged(relative('.', path)));
    const own = files.map((path) => relative('.', path)).filter((path) => !path.startsWith('node_modules'));
    writeFileSync(DTO_INPUTS, JSON.stringify(own));
    step.end();
    return errors ? [errors] : [];
  }
}

/** @returns the paths of the sources, without specs and declarations */
function findSources() {
  return SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((path) => /(?<!\.spec|\.d)\.ts$/.test(path))
      .map((path) => join(folder, path)),
  );
}

function isDto(path) {
  return path.endsWith('.dto.ts');
}

function outputOf(source) {
  return join(OUTPUT, source.replace(/\.ts$/, '.js'));
}

/** @returns the errors as texts */
async function compileFiles(sources) {
  if (sources.length === 0) return [];
  const step = new Step('Compiling the sources');
  const results = await Promise.all(sources.map((source) => compileFile(source)));
  step.end();
  return results.filter(Boolean);
}

/** @returns the error as a text; undefined if the file was compiled */
async function compileFile(source) {
  const output = outputOf(source);
  const sourceFileName = relative(dirname(output), source);
  const options = { ...SWC_OPTIONS, swcrc: false, filename: source, sourceFileName, sourceMaps: true };
  try {
    const { code, map } = await transform(readFileSync(source, 'utf8'), { ...options, inlineSourcesContent: false });
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, `${code}//# sourceMappingURL=${basename(output)}.map`);
    writeFileSync(`${output}.map`, map);
    return undefined;
  } catch (error) {
    // The rest is the stack of swc.
    return `${source}: ${error.message.split('Caused by:')[0].trimEnd()}\n`;
  }
}

/** Removes the outputs of sources that no longer exist, but not the bundles, which a running process may still load. */
function removeStaleOutputs(sources) {
  const compiled = new Set(sources.map((path) => path.replace(/\.ts$/, '')));
  for (const path of readdirSync(OUTPUT, { recursive: true }))
    if (
      /^(?!(?:service|operator|tables)\b).*\.js(\.map)?$/.test(path) &&
      !compiled.has(path.replace(/\.js(\.map)?$/, ''))
    )
      rmSync(join(OUTPUT, path));
}
