import multer from 'multer';
import { DomainError } from '../http/domain-error.js';
import { MAX_BODY_BYTES } from './body-limits.js';
import { FormTooLargeError, MalformedFormError } from './body.errors.js';
import { checkStructure } from './json-structure.js';
import { parseStoredJson } from '../stored-json.js';

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
 * The fields of a form as the body of a request: plain objects, `null` for holes in lists, and LF for the CRLF with
 * which browsers send each line break.
 *
 * @throws {MalformedFormError} for a name that could reach a prototype, and for `files` without a file
 */
export function toBody(fields: object): Record<string, unknown> {
  try {
    checkStructure(fields);
  } catch (error) {
    throw error instanceof DomainError ? new MalformedFormError(error.message) : error;
  }
  const { files, ...body } = parseStoredJson(JSON.stringify(fields), toLineFeeds) as Record<string, unknown>;
  if (files === undefined) return body;
  throw new MalformedFormError('Each part "files" must have a filename in its Content-Disposition.', 'files');
}

function toLineFeeds(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value;
}

/** Translates multer's error by its code. */
export function toFormError({ code, field }: multer.MulterError): DomainError {
  const { fields, fieldNameSize, fieldNestingDepth, fieldArrayIndexLimit } = FIELD_LIMITS;
  const name = field?.slice(0, 100);
  switch (code as string) {
    case 'LIMIT_FIELD_VALUE':
      return new FormTooLargeError(`The field "${name}" exceeds`, MAX_BODY_BYTES);
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
