import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, type Parameter } from './operations.js';

/**
 * Moves the examples of optional parameters to their descriptions: Swagger UI and other clients would prefill them, so
 * that an unedited request would filter a list or fail with 412.
 */
export function describeExamples(document: OpenAPIObject): void {
  for (const { parameters = [] } of operationsOf(document)) {
    for (const parameter of parameters.filter(({ required }) => !required)) describe(parameter);
  }
}

function describe(parameter: Parameter): void {
  const example = parameter.example ?? parameter.schema?.example;
  delete parameter.example;
  // It is the default.
  delete parameter.required;
  if (parameter.schema) {
    parameter.schema = { ...parameter.schema };
    delete parameter.schema.example;
  }
  const text = toText(example);
  if (text) parameter.description = [parameter.description, `Example: \`${text}\`.`].filter(Boolean).join(' ');
}

/** A list as it is sent, separated by commas. Objects have no short text. */
function toText(example: unknown): string | undefined {
  if (Array.isArray(example)) return example.join(',');
  return typeof example === 'string' || typeof example === 'number' ? String(example) : undefined;
}
