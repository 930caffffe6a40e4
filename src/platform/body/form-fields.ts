import multer from 'multer';
import { DomainError } from '../http/domain-error.js';
import { checkStructure } from './json-structure.js';
import { FormTooLargeError, IncompleteBodyError, MalformedFormError } from './body.errors.js';

/** What the names of fields may make, in multer's terms. */
export const FIELD_LIMITS = {
  fields: 1_000,
  /** Bytes of a name. */
  fieldNameSize: 1_000,
  /** Brackets in a name: no deeper than JSON may nest. */
  fieldNestingDepth: 31,
  /** In brackets: a larger one makes a list of as many holes. */
  fieldArrayIndexLimit: 999,
} as const;

const UNREADABLE_TYPE = 'The Content-Type cannot be read.';

/**
 * The fields of a form as the body of a request: plain objects, and `null` for holes in lists.
 *
 * @throws {MalformedFormError} for names that could reach a prototype, and where there was no form.
 */
export function formFields(fields: object | undefined): Record<string, unknown> {
  // Multer passes over a body whose type it cannot read.
  if (fields === undefined) throw new MalformedFormError(UNREADABLE_TYPE);
  try {
    checkStructure(fields);
  } catch (error) {
    throw error instanceof DomainError ? new MalformedFormError(error.message) : error;
  }
  const { files, ...body } = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
  if (files === undefined) return body;
  throw new MalformedFormError('files takes parts with a filename in their Content-Disposition.', 'files');
}

/** What multer or busboy found wrong, in the service's terms. */
export function toFormError(error: unknown, maxFieldBytes: number): unknown {
  if (error instanceof multer.MulterError) return limitFault(error, maxFieldBytes);
  // The parser of forms knows no other errors than plain ones; those of disks and sockets have codes.
  if (!(error instanceof Error) || error.constructor !== Error) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return new MalformedFormError(FORM_FAULTS[error.message] ?? 'The form cannot be read.');
  return error;
}

/** What busboy says, and what it means. */
const FORM_FAULTS: Record<string, string> = {
  'Multipart: Boundary not found': 'The Content-Type names no boundary.',
  'Malformed content type': UNREADABLE_TYPE,
  'Malformed part header': 'The headers of a part of the form cannot be read.',
  'Unexpected end of form': 'The form ends before its last boundary.',
  'Unexpected end of file': 'The form ends in the middle of a file.',
};

function limitFault({ code, field }: multer.MulterError, maxFieldBytes: number): DomainError {
  const { fields, fieldNameSize, fieldNestingDepth, fieldArrayIndexLimit } = FIELD_LIMITS;
  const name = field?.slice(0, 100);
  switch (code as string) {
    case 'LIMIT_FIELD_VALUE':
      return new FormTooLargeError(`The field ${name} is too large: a field has`, maxFieldBytes);
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return new MalformedFormError(`A form has at most ${fields} fields.`);
    case 'LIMIT_FIELD_KEY':
      return new MalformedFormError(`The name of a field has at most ${fieldNameSize} bytes.`, field);
    case 'LIMIT_FIELD_NESTING':
      return new MalformedFormError(`The name of a field nests at most ${fieldNestingDepth} deep.`, field);
    case 'LIMIT_FIELD_ARRAY_INDEX':
      return new MalformedFormError(`The index in a field's name is at most ${fieldArrayIndexLimit}.`, field);
    case 'MISSING_FIELD_NAME':
      return new MalformedFormError('A part of the form has no name.');
    case 'STREAM_DESTROYED':
      return new IncompleteBodyError();
    default:
      return new MalformedFormError(`The name of a field cannot be read: ${name}.`, field);
  }
}
