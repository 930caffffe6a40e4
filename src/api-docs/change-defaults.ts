import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Schema } from './operations.js';

/**
 * Removes the defaults from the bodies of PATCH: they apply to new records only. A client that fills in defaults would
 * change fields that the caller did not set.
 */
export function dropDefaultsOfChanges({ paths, components }: OpenAPIObject): void {
  const schemas = components!.schemas as Record<string, Schema>;
  const visited = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object' || visited.has(node)) return;
    visited.add(node);
    const { $ref } = node as Schema;
    if (typeof $ref === 'string') visit(schemas[$ref.split('/').at(-1)!]);
    for (const property of Object.values((node as Schema).properties ?? {})) delete property.default;
    Object.values(node).forEach(visit);
  };
  for (const { patch } of Object.values(paths)) visit((patch as Operation | undefined)?.requestBody);
}
