import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { PageEndDto } from '../platform/http/page.dto.js';
import { VersionedDto } from '../platform/http/record.dto.js';
import type { Schema } from './operations.js';

type Schemas = Record<string, Schema>;

/** Classes with the fields of many others. */
export const SHARED_MODELS = [PageEndDto, VersionedDto];

/** What a reference must save at least, in characters: a short list of fields is easier to read without a reference. */
const MIN_SAVED = 80;

/**
 * Describes fields that several schemas have once: a schema that has all fields of another refers to it with `allOf`,
 * as its class extends the other. So does a creation, which has the fields of a change and defaults in addition.
 *
 * @param recordModels classes with the fields of many records
 */
export function shareFields(document: OpenAPIObject, recordModels: readonly Type[]): void {
  const schemas = document.components!.schemas as Schemas;
  // A part of the fields of a record can be selected, so that none is certain.
  for (const { name } of [VersionedDto, ...recordModels]) delete schemas[name]!.required;
  const complete: Schemas = structuredClone(schemas);
  const bases = new Map(Object.keys(complete).map((name) => [name, findBase(complete, name)]));
  for (const [name, base] of bases) {
    if (base === undefined) continue;
    const shared = complete[base]!.properties!;
    const { properties = {}, required = [], ...others } = schemas[name]!;
    // The base has it.
    delete others.type;
    const own = Object.entries(properties).filter(([key, value]) => !isDeepStrictEqual(value, shared[key]));
    const allOf = [base, ...findRequiredBases(complete, bases, name)].map(reference);
    const certain = required.filter((field) => !complete[base]!.required?.includes(field));
    const schema: Schema = { allOf };
    if (own.length > 0) schema.properties = Object.fromEntries(own);
    if (certain.length > 0) schema.required = certain;
    schemas[name] = { ...schema, ...others };
  }
  // Generators find the required fields of an `allOf` only if it names their schema directly.
  for (const [name, schema] of Object.entries(complete)) {
    if (schema.properties || !schema.allOf) continue;
    const fields = schema.allOf[0]?.$ref?.split('/').at(-1);
    for (let base = bases.get(fields ?? ''); base !== undefined; base = bases.get(base))
      schemas[name]!.allOf!.push(reference(base));
  }
}

/** The schema of which another has all fields, and which saves most. */
function findBase(schemas: Schemas, name: string): string | undefined {
  const candidates = Object.keys(schemas)
    .filter((each) => each !== name && contains(schemas, schemas[name]!, schemas[each]!))
    .map((base) => ({ base, saved: JSON.stringify(schemas[base]!.properties).length }))
    .filter(({ saved }) => saved >= MIN_SAVED);
  return candidates.sort((a, b) => b.saved - a.saved)[0]?.base;
}

/** Generators find the required fields of an `allOf` only if it names their schema directly. */
function findRequiredBases(schemas: Schemas, bases: Map<string, string | undefined>, name: string): string[] {
  const { required = [] } = schemas[name]!;
  const found: string[] = [];
  for (let base = bases.get(bases.get(name)!); base !== undefined; base = bases.get(base)) {
    const { properties = {}, required: certain = [] } = schemas[base]!;
    if (required.some((field) => Object.hasOwn(properties, field) && !certain.includes(field))) found.push(base);
  }
  return found;
}

function contains(schemas: Schemas, schema: Schema, base: Schema): boolean {
  if (!schema.properties || schema.allOf || !base.properties || base.allOf) return false;
  const { properties, required = [] } = schema;
  const fields = Object.entries(base.properties);
  return (
    (fields.length < Object.keys(properties).length ||
      fields.some(([name, field]) => restricts(schemas, properties[name] ?? {}, field))) &&
    (base.required ?? []).every((field) => required.includes(field)) &&
    fields.every(([name, field]) => {
      const own = properties[name];
      return own && (isDeepStrictEqual(withoutDefault(own), field) || restricts(schemas, own, field));
    })
  );
}

/** Is the field an enumeration of texts, and any text in the base? */
function restricts(schemas: Schemas, own: Schema, base: Schema): boolean {
  if (base.type !== 'string' || base.format || base.enum) return false;
  const { type, enum: values } = own.$ref ? (schemas[own.$ref.split('/').at(-1)!] ?? {}) : own;
  return type === 'string' && values !== undefined;
}

function withoutDefault(schema: Schema): Schema {
  const copy = { ...schema };
  delete copy.default;
  return copy;
}

function reference(name: string): Schema {
  return { $ref: getSchemaPath(name) };
}
