import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Compiles DTO files with the Swagger plugin, which writes the types, limits and comments of the properties into the
 * OpenAPI document and asks TypeScript for the types. TypeScript reads only the files of the repository: no property of
 * a DTO has a type of a package, and reading the declarations of the packages takes longer than all other steps.
 */
export class DtoCompiler {
  /** The program of the last call, from which the next call takes the files that did not change. */
  #program;
  /** Path of a file → paths of the files that it imports. */
  #imports = new Map();

  /**
   * Writes the outputs of the DTO files that a change affects.
   *
   * @param dtoFiles absolute paths of all DTO files
   * @param isChanged whether the file with an absolute path changed since the last build
   * @returns the errors as text, and the paths of all files that TypeScript has read
   */
  compile(dtoFiles, isChanged) {
    // import() would search the nine megabytes for names of exports.
    const ts = require('typescript');
    const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.json', { incremental: false, types: [] }, ts.sys);
    const program = ts.createProgram(dtoFiles, options, this.#createHost(ts, options, isChanged), this.#program);
    this.#program = program;
    const affected = dtoFiles.filter((path) => this.#reachesChange(path, isChanged));
    const sources = affected.map((path) => program.getSourceFile(path));
    const errors = sources.flatMap((source) => program.getSyntacticDiagnostics(source));
    const plugin = require('@nestjs/swagger/plugin').before(readPluginOptions(), program);
    if (errors.length === 0)
      for (const source of sources) program.emit(source, undefined, undefined, false, { before: [plugin] });
    return {
      errors: ts.formatDiagnosticsWithColorAndContext(errors, ts.createCompilerHost(options)),
      files: program.getSourceFiles().map(({ fileName }) => fileName),
    };
  }

  #createHost(ts, options, isChanged) {
    const host = ts.createCompilerHost(options);
    // Comments are not parsed: the plugin reads the comments of DTOs from the text.
    host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
    const readSource = host.getSourceFile;
    host.getSourceFile = (path, ...rest) => {
      const former = isChanged(path) ? undefined : this.#program?.getSourceFile(path);
      return former ?? readSource(path, ...rest);
    };
    host.resolveModuleNameLiterals = (literals, importer) => {
      const paths = literals.map(({ text }) => findSource(importer, text));
      this.#imports.set(importer, paths.filter(Boolean));
      return paths.map((path) => ({
        resolvedModule: path && { resolvedFileName: path, extension: '.ts', isExternalLibraryImport: false },
      }));
    };
    return host;
  }

  #reachesChange(path, isChanged, visited = new Set()) {
    if (visited.has(path)) return false;
    visited.add(path);
    const imports = this.#imports.get(path) ?? [];
    return isChanged(path) || imports.some((imported) => this.#reachesChange(imported, isChanged, visited));
  }
}

/** @returns the path of the imported file of the repository; undefined for a package */
function findSource(importer, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const path = resolve(importer, '..', specifier.replace(/\.js$/, '.ts'));
  return existsSync(path) ? path : undefined;
}

function readPluginOptions() {
  return JSON.parse(readFileSync('nest-cli.json', 'utf8')).compilerOptions.plugins[0].options;
}
