import { createHash } from 'node:crypto';
import multer from 'multer';
import { DomainError } from '../http/domain-error.js';
import { FormTooLargeError, MalformedFormError } from './body.errors.js';
import { checkStructure } from './json-structure.js';
import type { Upload } from './upload.js';

/** Limits of multer for fields and their names. */
export const FIELD_LIMITS = {
  fields: 1_000,
  /** Bytes of a name. */
  fieldNameSize: 1_000,
  /** Brackets in a name; equal to the nesting limit of JSON. */
  fieldNestingDepth: 31,
  /** Index in brackets; a larger one would create a list with as many holes. */
  fieldArrayIndexLimit: 999,
} as const;

/**
 * The fields of a form as the body of a request: plain objects, and `null` for holes in lists.
 *
 * @throws {MalformedFormError} for a name that could reach a prototype, and for `files` without a file
 */
export function toBody(fields: object): Record<string, unknown> {
  try {
    checkStructure(fields);
  } catch (error) {
    throw error instanceof DomainError ? new MalformedFormError(error.message) : error;
  }
  const { files, ...body } = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
  if (files === undefined) return body;
  throw new MalformedFormError('Each part "files" must have a filename in its Content-Disposition.', 'files');
}

/** Translates multer's error by its code. */
export function toFormError({ code, field }: multer.MulterError, maxFieldBytes: number): DomainError {
  const { fields, fieldNameSize, fieldNestingDepth, fieldArrayIndexLimit } = FIELD_LIMITS;
  const name = field?.slice(0, 100);
  switch (code as string) {
    case 'LIMIT_FIELD_VALUE':
      return new FormTooLargeError(`The field "${name}" exceeds`, maxFieldBytes);
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return new MalformedFormError(`The form exceeds the limit of ${fields} fields.`);
    case 'LIMIT_FIELD_KEY':
      return new MalformedFormError(`The name of a field exceeds the limit of ${fieldNameSize} bytes.`, field);
    case 'LIMIT_FIELD_NESTING':
      return new MalformedFormError(`The name "${name}" exceeds the limit of ${fieldNestingDepth} brackets.`, field);
    case 'LIMIT_FIELD_ARRAY_INDEX':
      return new MalformedFormError(
        `An index in the name "${name}" exceeds the limit of ${fieldArrayIndexLimit}.`,
        field,
      );
    case 'MISSING_FIELD_NAME':
      return new MalformedFormError('A part of the form has no name.');
    default:
      return new MalformedFormError(`The field name "${name}" is malformed.`, field);
  }
}

/** Hash of a form's content: equal for another boundary and another order of the fields. */
export function formDigest(body: object, uploads: readonly Upload[]): string {
  const files = uploads.map(({ filename, sha256 }) => [filename, sha256]);
  return createHash('sha256')
    .update(JSON.stringify([sortKeys(body), files]))
    .digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  // As pairs, because an object moves keys that look like numbers to the front.
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sortKeys(inner)]);
}
