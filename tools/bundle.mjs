/**
 * Bundles the built service with its packages into `dist/service`, which `npm start` runs: loading 2,900 modules one by
 * one takes longer than all other steps of the start (docs/explanation/performance.md#service-bundle). Bundles the
 * operator CLI into `dist/operator`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import remapping from '@jridgewell/remapping';
import { encode } from '@jridgewell/sourcemap-codec';
import { minify } from '@swc/core';
import { rolldown } from 'rolldown';
import { rejectUnresolved } from './reject-unresolved.mjs';
import { OF_REQUESTS, withoutHttp } from './without-http.mjs';

/**
 * The `dependencies` of package.json are the packages that a bundle loads from node_modules, and all that a production
 * install contains: packages that read their own files or native code, and class-validator and class-transformer. Nest
 * loads those two with import(), where they would have no named exports in a bundle, and with require(); their metadata
 * must exist once.
 */
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));

/** Optional packages that are not installed. They fail when they are used. */
const NOT_INSTALLED = ['@fastify/static', '@nestjs/microservices', '@nestjs/websockets', 'pg-native'];

const EXTERNAL = [...Object.keys(dependencies), ...NOT_INSTALLED];
const isExternal = (id) => EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`));

/** A driver that the factory of TypeORM imports. */
const DRIVER = /require\("\.\/(?!postgres\/)[^"]+Driver"\)/g;

/** TypeORM contains drivers of 16 other databases, which take a third of the time of loading it. */
const onlyPostgresDriver = {
  name: 'only-postgres-driver',
  load: {
    filter: { id: /[\\/]node_modules[\\/]typeorm[\\/]driver[\\/]DriverFactory\.js$/ },
    handler: async (id) => (await readFile(id, 'utf8')).replaceAll(DRIVER, '{}'),
  },
};

/** The compiled files with their source maps, which lead to the sources of the service. */
const withSourceMaps = {
  name: 'with-source-maps',
  load: {
    filter: { id: /[\\/]dist[\\/](?:src|migrations)[\\/].*\.js$/ },
    handler: async (id) => ({ code: await readFile(id, 'utf8'), map: await readFile(`${id}.map`, 'utf8') }),
  },
};

/** Writes the service and the program that decodes images into `dist/service`, whose previous content is removed. */
export const bundleService = () =>
  bundle({ main: 'dist/src/main.js', 'image-process/main': 'dist/src/image-process/main.js' }, 'dist/service', {
    external: isExternal,
    plugins: [withSourceMaps, onlyPostgresDriver],
    sourcemap: true,
  });

/** Writes the operator CLI into `dist/operator`, whose previous content is removed. */
export const bundleOperator = () =>
  bundle({ main: 'dist/src/operator/main.js' }, 'dist/operator', {
    // What a plugin replaces must not be external.
    external: (id) => isExternal(id) && !OF_REQUESTS.test(id),
    plugins: [withoutHttp, onlyPostgresDriver],
    sourcemap: false,
  });

/**
 * Constants must remain constants, and only classes that were renamed may be given their names again, which Nest,
 * TypeORM, the log and the OpenAPI document use: otherwise V8 optimizes less
 * (docs/explanation/performance.md#service-bundle).
 */
async function bundle(input, dir, { external, plugins, sourcemap }) {
  await rm(dir, { recursive: true, force: true });
  const build = await rolldown({ input, platform: 'node', external, plugins, onLog: rejectUnresolved });
  const { output } = await build.generate({
    dir,
    format: 'esm',
    keepNames: true,
    sourcemap,
    // Modules that are loaded with import() stay separate files.
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  const files = await Promise.all(chunks.map((chunk) => toFiles(chunk)));
  // The entry point, which is the first chunk, is written when all that it imports exists.
  for (const [path, text] of files.toReversed().flat()) {
    await mkdir(join(dir, dirname(path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
}

/**
 * The text of the program stays in memory: it is written without white space, and in ASCII, which takes one byte per
 * character. Names must not change: Swagger UI serves functions as text, and the log and TypeORM use the names of
 * classes.
 */
async function toFiles({ fileName, code, map }) {
  const format = { asciiOnly: true, comments: false };
  const options = { module: true, compress: false, mangle: false, format, sourceMap: map !== null };
  const written = await minify(code, options);
  if (map === null) return [[fileName, written.code]];
  const complete = remapping([JSON.parse(written.map), map], () => null, { decodedMappings: true });
  return [
    [`${fileName}.map`, removePackages(complete)],
    [fileName, `${written.code}\n//# sourceMappingURL=${basename(fileName)}.map`],
  ];
}

/**
 * Removes the packages from a source map: stack traces name the sources of the service. Node retains the map of each
 * loaded file in memory.
 */
function removePackages({ mappings, ...map }) {
  const isOwn = map.sources.map((source) => !source.includes('node_modules/'));
  const own = mappings.map((line) =>
    line.map((segment) => (segment.length > 1 && isOwn[segment[1]] ? segment.slice(0, 4) : segment.slice(0, 1))),
  );
  const encoded = isOwn.includes(true) ? encode(own.map(withoutRepetitions)) : '';
  return JSON.stringify({ ...map, sourcesContent: undefined, names: [], mappings: encoded });
}

/**
 * One segment suffices for all columns up to the next line of a source, and one without a source up to the next one
 * with a source: stack traces name lines.
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
