/**
 * Bundles the built service with its packages into `dist/service`, which `npm start` runs: loading 2,900 modules one by one
 * takes longer than all other steps of the start (docs/adr/0033-bundle-the-service-for-its-start.md).
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

/** Packages that read their own files. They are loaded from node_modules. */
const WITH_FILES = ['sharp', 'swagger-ui-dist'];
/**
 * CommonJS packages that Nest loads with import(), which would have no named exports in a bundle, and with require().
 * Their metadata must exist once, so all imports use the packages in node_modules.
 */
const LOADED_BY_NEST = ['class-transformer', 'class-validator'];

/**
 * Optional packages that are not installed. They are imported without a handler for errors that esbuild recognizes, and fail
 * when they are used.
 */
const NOT_INSTALLED = ['@fastify/static', '@nestjs/microservices', '@nestjs/websockets', 'pg-native'];

/** The head of a class of a module, also as the decorators of TypeScript declare it: `let Note = Note_1 = class Note {`. */
const CLASS = /^(?:export )?(?:let \w+ = (?:\w+ = )?)?class (\w+)[^\n]*$/gm;

/**
 * Nest, TypeORM, the log and the OpenAPI document use the names of classes, which the bundle changes if two classes have the
 * same name or a class refers to itself. The option `keepNames` of esbuild names each function whenever it is created, which
 * costs a tenth of the throughput.
 */
const classNames = {
  name: 'class-names',
  setup({ onLoad }) {
    const filter = /[\\/](?:dist[\\/](?:src|migrations)|node_modules[\\/](?:@nestjs|typeorm))[\\/].*\.js$/;
    onLoad({ filter }, async ({ path }) => ({ contents: nameClasses(await readFile(path, 'utf8')), loader: 'js' }));
  },
};

/** Static fields of a class may use its name, so it is set before them; after the class, if its head has several lines. */
function nameClasses(text) {
  let after = '';
  const named = text.replace(CLASS, (head, name) => {
    const isComplete = head.split('(').length === head.split(')').length && head.includes('{');
    if (isComplete)
      return head.replace(/\{(?=[^{]*$)/, `{static{Object.defineProperty(this,"name",{value:"${name}"})}`);
    after += `Object.defineProperty(${name},"name",{value:"${name}"});`;
    return head;
  });
  // Before the comment with the source map, which must be last.
  return named.replace(/(?=\/\/# sourceMappingURL=\S+\s*$)|$/, `\n${after}\n`);
}

/** CommonJS packages in a bundle of ES modules expect the variables of CommonJS. */
const COMMONJS_VARIABLES = [
  'import { createRequire as bundleCreateRequire } from "node:module";',
  'const require = bundleCreateRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('\n');

/** Writes the bundle into the directory, whose previous content is removed. */
export async function bundle(outdir) {
  await rm(outdir, { recursive: true, force: true });
  const { outputFiles } = await build({
    entryPoints: ['dist/src/main.js'],
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Modules that are loaded with import() stay separate files.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: [...WITH_FILES, ...LOADED_BY_NEST, ...NOT_INSTALLED],
    plugins: [classNames],
    banner: { js: COMMONJS_VARIABLES },
    // The source text stays in memory.
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: true,
    sourcesContent: false,
    write: false,
    logLevel: 'error',
  });
  await mkdir(join(outdir, 'chunks'), { recursive: true });
  for (const file of outputFiles)
    await writeFile(file.path, file.path.endsWith('.map') ? removePackages(file.text) : file.contents);
}

/**
 * Removes the packages from a source map: stack traces name the sources of the service. Node retains the map of each loaded
 * file in memory.
 */
function removePackages(text) {
  const map = JSON.parse(text);
  const isOwn = map.sources.map((source) => !source.includes('node_modules/'));
  if (!isOwn.includes(true)) return JSON.stringify({ ...map, names: [], mappings: '' });
  const mappings = decode(map.mappings).map((line) =>
    line.map((segment) => (segment.length > 1 && isOwn[segment[1]] ? segment.slice(0, 4) : segment.slice(0, 1))),
  );
  return JSON.stringify({ ...map, names: [], mappings: encode(mappings.map(withoutRepetitions)) });
}

/** One segment without a source suffices for all columns up to the next segment with a source. */
function withoutRepetitions(line) {
  return line.filter((segment, index) => segment.length > 1 || (index > 0 && line[index - 1].length > 1));
}
