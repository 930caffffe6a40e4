import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { PageEndDto } from '../platform/http/page.dto.js';
import { VersionedDto } from '../platform/http/record.dto.js';
import type { Schema } from './operations.js';

type Schemas = Record<string, Schema>;

/** The schemas to which each schema refers for some of its fields. */
type Bases = ReadonlyMap<string, readonly string[]>;

/** Classes with the fields of many others. */
export const SHARED_MODELS = [PageEndDto, VersionedDto];

/** What a reference must save at least, in characters: a short list of fields is easier to read without a reference. */
const MIN_SAVED = 80;

/**
 * Describes fields that several schemas have once: a schema that has all fields of others refers to them with `allOf`,
 * as its class extends the others. So does a creation, which has the fields of a change and defaults in addition.
 *
 * @param recordModels classes with the fields of many records
 */
export function shareFields(document: OpenAPIObject, recordModels: readonly Type[]): void {
  const schemas = document.components!.schemas as Schemas;
  // A part of the fields of a record can be selected, so that none is certain.
  for (const { name } of [VersionedDto, ...recordModels]) delete schemas[name]!.required;
  const complete: Schemas = structuredClone(schemas);
  const bases: Bases = new Map(Object.keys(complete).map((name) => [name, findBases(complete, name)]));
  for (const [name, direct] of bases) {
    if (direct.length === 0) continue;
    const shared = Object.assign({}, ...direct.map((base) => complete[base]!.properties)) as Schemas;
    const { properties = {}, required = [], ...others } = schemas[name]!;
    // The bases have it.
    delete others.type;
    const own = Object.entries(properties)
      .filter(([key, value]) => !isDeepStrictEqual(value, shared[key]))
      .map(([key, value]) => [key, withoutDescription(value, shared[key])] as const);
    const allOf = [...direct, ...findRequiredBases(complete, bases, name)].map(reference);
    const certain = required.filter((field) => !direct.some((base) => complete[base]!.required?.includes(field)));
    const schema: Schema = { allOf };
    if (own.length > 0) schema.properties = Object.fromEntries(own);
    if (certain.length > 0) schema.required = certain;
    schemas[name] = { ...schema, ...others };
  }
  // Generators find the required fields of an `allOf` only if it names their schema directly.
  for (const [name, schema] of Object.entries(complete)) {
    if (schema.properties || !schema.allOf) continue;
    const fields = schema.allOf[0]?.$ref?.split('/').at(-1);
    schemas[name]!.allOf!.push(...findAncestors(bases, fields ?? '').map(reference));
  }
}

/** The schemas of which another has all fields: the one that saves most, and others whose fields are not in it. */
function findBases(schemas: Schemas, name: string): string[] {
  const candidates = Object.keys(schemas)
    .filter((each) => each !== name && contains(schemas, schemas[name]!, schemas[each]!))
    .map((base) => ({ base, saved: JSON.stringify(schemas[base]!.properties).length }))
    .filter(({ saved }) => saved >= MIN_SAVED)
    .sort((a, b) => b.saved - a.saved);
  const shared = new Set<string>();
  return candidates.flatMap(({ base }) => {
    const fields = Object.keys(schemas[base]!.properties!);
    if (fields.some((field) => shared.has(field))) return [];
    for (const field of fields) shared.add(field);
    return [base];
  });
}

/** The bases of a schema, and their bases. */
function findAncestors(bases: Bases, name: string): string[] {
  return (bases.get(name) ?? []).flatMap((base) => [base, ...findAncestors(bases, base)]);
}

/** Generators find the required fields of an `allOf` only if it names their schema directly. */
function findRequiredBases(schemas: Schemas, bases: Bases, name: string): string[] {
  const { required = [] } = schemas[name]!;
  const indirect = bases.get(name)!.flatMap((base) => findAncestors(bases, base));
  return indirect.filter((base) => {
    const { properties = {}, required: certain = [] } = schemas[base]!;
    return required.some((field) => Object.hasOwn(properties, field) && !certain.includes(field));
  });
}

function contains(schemas: Schemas, schema: Schema, base: Schema): boolean {
  if (!schema.properties || schema.allOf || !base.properties || base.allOf) return false;
  const { properties, required = [] } = schema;
  if (isDeepStrictEqual([properties, required], [base.properties, base.required ?? []])) return false;
  const fields = Object.entries(base.properties);
  return (
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

/** A field that a base has, too, has its description unless it has another one. */
function withoutDescription(own: Schema, base?: Schema): Schema {
  const { description, ...others } = own;
  return description === base?.description ? others : own;
}

function withoutDefault(schema: Schema): Schema {
  const copy = { ...schema };
  delete copy.default;
  return copy;
}

function reference(name: string): Schema {
  return { $ref: getSchemaPath(name) };
}
