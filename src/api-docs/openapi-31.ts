import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Converts the schemas of the generator from OpenAPI 3.0 to 3.1: `nullable: true` becomes the type `null` of JSON
 * Schema, and a reference may have other keywords next to it.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return convert(document) as OpenAPIObject;
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, convert(value)]));
  return nullable === true
    ? addNull(rest)
    : nullable === undefined
      ? unwrapReference(rest)
      : { ...rest, ...(nullable === false ? {} : { nullable }) };
}

/** OpenAPI 3.0 ignores the keywords next to a reference, so the generator writes it as the only schema of `allOf`. */
function unwrapReference(schema: Record<string, unknown>): Record<string, unknown> {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf) || allOf.length !== 1 || 'properties' in rest) return schema;
  return { ...(allOf[0] as object), ...rest };
}

function addNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { type, enum: values, allOf, oneOf, $ref, ...rest } = schema;
  if (typeof type === 'string') {
    return {
      ...rest,
      type: [type, 'null'],
      ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    };
  }
  const alternatives = (oneOf ?? allOf ?? ($ref ? [{ $ref }] : [])) as unknown[];
  return { ...rest, oneOf: [...alternatives, { type: 'null' }] };
}
