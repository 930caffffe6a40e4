import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation, Parameter } from './operations.js';
import { findCollection, nameRecord } from './record-names.js';

/** Describes the IDs in paths that no decorator describes. */
export function describeIds({ paths }: OpenAPIObject): void {
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(methods) as Operation[])
      for (const parameter of parameters.filter((each) => each.in === 'path')) describeId(path, parameter);
}

function describeId(path: string, parameter: Parameter): void {
  const collection = findCollection(path, parameter.name);
  if (collection) parameter.description ??= `The ID of the ${nameRecord(collection)}.`;
  else if (path.includes(`/workspaces/{${parameter.name}}`))
    parameter.description ??= "One of the caller's workspaces.";
}
