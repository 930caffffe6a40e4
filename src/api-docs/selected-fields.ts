import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, type Schema } from './operations.js';

/**
 * A list with the query parameter `fields` returns records of which no field is certain. So the schema of its records
 * is divided: `ProjectFields` has the fields, and `ProjectDto` additionally requires them.
 */
export function declareSelectedFields(document: OpenAPIObject): void {
  const schemas = document.components!.schemas as Record<string, Schema & { items?: Schema }>;
  const resolve = ({ $ref, ...schema }: Schema = {}): Schema & { items?: Schema } =>
    $ref ? resolve(schemas[$ref.split('/').at(-1)!]) : schema;
  for (const { parameters = [], responses } of operationsOf(document)) {
    if (!parameters.some(({ name, in: location }) => name === 'fields' && location === 'query')) continue;
    const data = resolve(responses['200']?.content?.['application/json']?.schema).properties?.['data'];
    // An export has no page.
    const { items } = (resolve(data).properties ?? {}) as { items?: { items?: Schema } };
    const name = items?.items?.$ref?.split('/').at(-1);
    const record = name === undefined ? undefined : schemas[name];
    if (!record?.required) continue;
    const { required, ...fields } = record;
    const fieldsName = name!.replace(/Dto$/, 'Fields');
    schemas[fieldsName] = fields;
    schemas[name!] = { allOf: [reference(fieldsName)], required };
    items!.items = reference(fieldsName);
  }
}

const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
