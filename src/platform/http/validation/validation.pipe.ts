import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type FieldError, InvalidRequestError, unknownField } from '../../../../packages/errors/src/domain-error.js';
import { findNestedLists } from './nested-list.decorator.js';
import { NOT_EMPTY } from './query-values.decorators.js';
import { validateWithOthers } from './request-errors.js';
import { WorkSlices } from '../../../../packages/json/src/work-slices.js';

const OPTIONS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true } as const;

/** The default of a field remains if its value is converted to undefined. */
const CONVERSION = { exposeUnsetFields: false } as const;

/** Turns bodies and queries into instances of their DTO classes, or rejects them with all errors. */
class DtoValidationPipe extends ValidationPipe {
  constructor() {
    // Converts simple parameters, such as numbers, to their type.
    super({ transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // A route with its own pipe validates its body there.
    if (!this.toValidate(metadata)) return super.transform(value, metadata);
    const validation = validateDto(metadata.metatype as ClassConstructor<object>, value ?? {});
    return validateWithOthers(metadata.type, validation);
  }
}

/** Validates an object and, in slices, the elements of its lists. */
async function validateInSlices(instance: object, slices = new WorkSlices()): Promise<ValidationError[]> {
  const errors = validateSync(instance, OPTIONS);
  for (const [property, elements] of findNestedLists(instance)) {
    const children: ValidationError[] = [];
    for (const [index, element] of elements.entries()) {
      const nested = await validateInSlices(element, slices);
      if (nested.length > 0) children.push({ property: String(index), children: nested });
      await slices.pauseIfDue();
    }
    if (children.length > 0) errors.push({ property, children });
  }
  return errors;
}

export const dtoValidation = new DtoValidationPipe();

/** Turns a value into a valid instance of its DTO class. @throws {InvalidRequestError} with all errors */
export async function validateDto<T extends object>(type: ClassConstructor<T>, value: object): Promise<T> {
  rejectUnsafeFields(value);
  const instance = plainToInstance(type, value, CONVERSION);
  const errors = await validateInSlices(instance);
  if (errors.length > 0) throw new InvalidRequestError(toFieldErrors(errors));
  return instance;
}

/**
 * Validates the elements of a list one after the other, so that the process serves other requests between them.
 *
 * @param field of the list
 * @throws {InvalidRequestError} with the errors of all elements
 */
export async function validateEach<T extends object>(
  type: ClassConstructor<T>,
  values: readonly object[],
  field: string,
): Promise<T[]> {
  const instances: T[] = [];
  const errors: FieldError[] = [];
  const slices = new WorkSlices();
  for (const [index, value] of values.entries()) {
    rejectUnsafeFields(value, `${field}[${index}]`);
    const instance = plainToInstance(type, value, CONVERSION);
    errors.push(...toFieldErrors(await validateInSlices(instance, slices), `${field}[${index}]`));
    instances.push(instance);
    await slices.pauseIfDue();
  }
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return instances;
}

/** Limit of the fields of one object: the time of validation grows with their square. */
const MAX_FIELDS_OF_OBJECT = 1_000;

/** Limit of all fields and elements. Rows do not count; they have their own validation. */
const MAX_FIELDS = 500_000;

/**
 * Rejects what validation cannot handle: too many fields, and fields with the name of a method of every object, such as
 * `toString`, which the whitelist accepts.
 */
function rejectUnsafeFields(value: unknown, field = ''): void {
  const errors: FieldError[] = [];
  let fields = 0;
  const visit = (inner: unknown, parent: string): void => {
    if (typeof inner !== 'object' || inner === null) return;
    const names = Object.keys(inner);
    fields += names.length;
    if (fields > MAX_FIELDS) throw tooManyFields('', MAX_FIELDS);
    if (!Array.isArray(inner) && names.length > MAX_FIELDS_OF_OBJECT) throw tooManyFields(parent, MAX_FIELDS_OF_OBJECT);
    for (const name of names) {
      const field = joinPath(parent, name);
      if (Object.hasOwn(Object.prototype, name)) errors.push({ ...unknownField(name), field });
      else visit((inner as Record<string, unknown>)[name], field);
    }
  };
  visit(value, field);
  if (errors.length > 0) throw new InvalidRequestError(errors);
}

function tooManyFields(field: string, limit: number): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'too_many_fields', message: `The limit is ${limit} fields.` }]);
}

/** Flattens class-validator's tree into errors with a path, such as `assets[0].columns[2].type`. */
function toFieldErrors(errors: ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = joinPath(parent, error.property);
    const own = selectFirst(error.constraints ?? {}).map(([constraint, message]) => ({
      field,
      code: constraint === 'whitelistValidation' ? 'unknown_field' : 'invalid_field',
      message:
        constraint === 'whitelistValidation'
          ? unknownField(error.property).message
          : shorten(message, MAX_MESSAGE_LENGTH),
    }));
    return [...own, ...toFieldErrors(error.children ?? [], field)];
  });
}

const KIND = /^is(String|Array|Object|Int|Number|Boolean|Uuid)$/;
const LIMIT = /^(m(in|ax)|isLength|array)/;

/** One error per field: an empty value before type before format before limits. */
function selectFirst(constraints: Record<string, string>): [constraint: string, message: string][] {
  const rank = (constraint: string) =>
    constraint === NOT_EMPTY ? -1 : KIND.test(constraint) ? 0 : LIMIT.test(constraint) ? 2 : 1;
  return Object.entries(constraints)
    .sort(([a], [b]) => rank(a) - rank(b))
    .slice(0, 1);
}

function joinPath(parent: string, name: string): string {
  const part = shorten(name, MAX_NAME_LENGTH);
  return /^\d+$/.test(name) ? `${parent}[${part}]` : [parent, part].filter(Boolean).join('.');
}

/** Names and values of the caller in errors are truncated. */
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 1_000;

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
