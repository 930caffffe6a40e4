import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * The generator writes schemas as OpenAPI 3.0 knows them; 3.1 is JSON Schema, where null is a type of its own.
 * Turns every `nullable: true` into that.
 */
export function toOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return convert(document) as OpenAPIObject;
}

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, convert(value)]));
  return nullable === true
    ? withNull(rest)
    : nullable === undefined
      ? rest
      : { ...rest, ...(nullable === false ? {} : { nullable }) };
}

function withNull(schema: Record<string, unknown>): Record<string, unknown> {
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
