/**
 * Bundles the built service with its packages into `dist/service`, which `npm start` runs: loading 2,900 modules one by one
 * takes longer than all other steps of the start (docs/adr/0033-bundle-the-service-for-its-start.md). Bundles the operator CLI
 * into `dist/operator`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { withoutHttp } from './without-http.mjs';

/**
 * The `dependencies` of package.json are the packages that a bundle loads from node_modules, and all that a production install
 * contains: packages that read their own files or native code, and class-validator and class-transformer. Nest loads those two
 * with import(), where they would have no named exports in a bundle, and with require(); their metadata must exist once.
 */
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));

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

/** A driver that the factory of TypeORM imports. */
const DRIVER = /require\("\.\/(?!postgres\/)[^"]+Driver"\)/g;

/** TypeORM contains drivers of 16 other databases, which take a third of the time of loading it. */
const onlyPostgresDriver = {
  name: 'only-postgres-driver',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]typeorm[\\/]driver[\\/]DriverFactory\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(DRIVER, '{}'),
    }));
  },
};

/** CommonJS packages in a bundle of ES modules expect the variables of CommonJS. */
const COMMONJS_VARIABLES = [
  'import { createRequire as bundleCreateRequire } from "node:module";',
  'const require = bundleCreateRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('\n');

/** Writes the service into `dist/service`, whose previous content is removed. */
export const bundleService = () =>
  bundle('dist/src/main.js', 'dist/service', {
    // The source text stays in memory. Swagger UI serves functions as text, so only white space may change.
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
  });

/** Writes the operator CLI into `dist/operator`, whose previous content is removed. */
export const bundleOperator = () =>
  bundle('dist/src/operator/main.js', 'dist/operator', {
    minify: true,
    plugins: [withoutHttp, onlyPostgresDriver, classNames],
  });

async function bundle(entryPoint, outdir, options) {
  await rm(outdir, { recursive: true, force: true });
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Modules that are loaded with import() stay separate files.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: [...Object.keys(dependencies), ...NOT_INSTALLED],
    plugins: [onlyPostgresDriver, classNames],
    banner: { js: COMMONJS_VARIABLES },
    legalComments: 'none',
    write: false,
    logLevel: 'error',
    ...options,
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

/**
 * One segment suffices for all columns up to the next line of a source, and one without a source up to the next one with a source:
 * stack traces name lines.
 */
function withoutRepetitions(line) {
  return line.filter((segment, index) => {
    const [, source, sourceLine] = segment;
    const [, previousSource, previousLine] = line[index - 1] ?? [];
    return source === undefined
      ? previousSource !== undefined
      : source !== previousSource || sourceLine !== previousLine;
  });
}
