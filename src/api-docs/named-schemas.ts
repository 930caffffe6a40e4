import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';

/** Keywords whose values are data of callers and not schemas. */
const DATA = ['default', 'enum', 'example', 'examples'];

/**
 * Moves the schemas that have a title to `components`, because code generators use the names of components as names of
 * types. Decorators set titles if a class cannot describe the schema.
 *
 * @throws {Error} if different schemas have the same title
 */
export function nameSchemas({ paths, components }: OpenAPIObject): void {
  const schemas = components!.schemas as Record<string, object>;
  const move = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(move);
    if (node === null || typeof node !== 'object') return node;
    for (const [key, value] of Object.entries(node)) {
      if (!DATA.includes(key)) (node as Record<string, unknown>)[key] = move(value);
    }
    const { title, ...schema } = node as { title?: unknown };
    if (typeof title !== 'string') return node;
    if (schemas[title] && !isDeepStrictEqual(schemas[title], schema))
      throw new Error(`Two schemas are named ${title}.`);
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  move([paths, { ...schemas }]);
  for (const schema of Object.values(schemas)) dropDescription(schema);
}

/** The generator describes a named enumeration like the first property that has it. */
function dropDescription(schema: { enum?: unknown[]; description?: string }): void {
  if (schema.enum) delete schema.description;
}
