import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Converts the schemas of the generator from OpenAPI 3.0 to 3.1: `nullable: true` becomes the type `null` of JSON Schema.
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
      ? rest
      : { ...rest, ...(nullable === false ? {} : { nullable }) };
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
