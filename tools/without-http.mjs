/**
 * Plugin of rolldown for the bundle of the operator CLI, which answers no requests: it leaves out the routes, the
 * validation of requests and the OpenAPI document. Loading them takes half of the time of a command
 * (docs/explanation/performance.md#operator-bundle).
 */
import { readFile } from 'node:fs/promises';

const CONTROLLER = /[\\/]dist[\\/]src[\\/].*\.controller\.js$/;

/** Packages of decorators of requests and responses, and of functions that read bodies and write types. */
export const OF_REQUESTS = /^(?:class-transformer|class-validator|@nestjs\/swagger|body-parser|mime-types|multer)$/;

/** Functions that the arguments of decorators call. */
const IN_ARGUMENTS = ['getSchemaPath'];

/** Prefix of the ID of a module that replaces such a package. */
const REPLACED = '\0without-http:';

export const withoutHttp = {
  name: 'without-http',
  resolveId: { filter: { id: OF_REQUESTS }, handler: (id) => `${REPLACED}${id}` },
  load: {
    filter: { id: [CONTROLLER, new RegExp(`^${REPLACED}`)] },
    handler: async (id) =>
      id.startsWith(REPLACED)
        ? withoutEffect(Object.keys(await import(id.slice(REPLACED.length))))
        : withoutRoutes(await readFile(id, 'utf8')),
  },
};

/** Modules list their controllers, so the classes remain. */
function withoutRoutes(text) {
  const names = new Set([...text.matchAll(/^export (?:\{ (\w+) \}|class (\w+))/gm)].map(([, a, b]) => a ?? b));
  const classes = [...names].map((name) => `export class ${name} {}\nController()(${name});`);
  return ["import { Controller } from '@nestjs/common';", ...classes].join('\n');
}

/**
 * A decorator without effect is also a class, which classes of requests extend: `PickType(Note, […])`. Other functions,
 * whose names begin with a lower-case letter, are called only while a request is handled.
 */
function withoutEffect(names) {
  const exported = names.filter((name) => /^[A-Z]\w*$/.test(name) || IN_ARGUMENTS.includes(name));
  const functions = names.filter((name) => /^[a-z]\w*$/.test(name) && name !== 'default' && !exported.includes(name));
  return [
    'const decorate = () => function Decorator() {};',
    ...exported.map((name) => `exports.${name} = decorate;`),
    ...functions.map((name) => `exports.${name} = () => { throw new Error('The operator CLI has no ${name}.'); };`),
  ].join('\n');
}
