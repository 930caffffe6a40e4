import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type FieldError, InvalidRequestError, unknownField } from '../domain-error.js';

const OPTIONS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true } as const;

/** Bodies and queries become instances of their DTO classes; what does not fit is 400 with every fault at once. */
class DtoValidationPipe extends ValidationPipe {
  constructor() {
    super({ ...OPTIONS, transform: true, exceptionFactory: (errors) => new InvalidRequestError(faultsOf(errors)) });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Not where a route has a pipe of its own for its body, which knows what to look at.
    if (this.toValidate(metadata)) refuseStrangeFields(value);
    return (await super.transform(value, metadata)) as unknown;
  }
}

export const dtoValidation = new DtoValidationPipe();

/** The same for a value that does not come through a pipe. @throws {InvalidRequestError} */
export function validateDto<T extends object>(type: ClassConstructor<T>, value: unknown): T {
  refuseStrangeFields(value);
  const instance = plainToInstance(type, value);
  const errors = validateSync(instance, OPTIONS);
  if (errors.length > 0) throw new InvalidRequestError(faultsOf(errors));
  return instance;
}

/** Fields of one object: the time validation takes grows with their square. */
const MAX_FIELDS_OF_OBJECT = 1_000;

/** Fields and elements of all that is validated; rows are not, they have rules of their own. */
const MAX_FIELDS = 500_000;

/**
 * Refuses what validation itself would suffer from or not see: more fields than any request has, and fields named like a
 * method that every object has, such as `toString`, which the whitelist takes for known ones.
 */
function refuseStrangeFields(value: unknown): void {
  const errors: FieldError[] = [];
  let fields = 0;
  const visit = (inner: unknown, parent: string): void => {
    if (typeof inner !== 'object' || inner === null) return;
    const names = Object.keys(inner);
    fields += names.length;
    if (fields > MAX_FIELDS) throw tooManyFields('', MAX_FIELDS);
    if (!Array.isArray(inner) && names.length > MAX_FIELDS_OF_OBJECT) throw tooManyFields(parent, MAX_FIELDS_OF_OBJECT);
    for (const name of names) {
      const field = pathOf(parent, name);
      if (name in Object.prototype) errors.push({ ...unknownField(name), field });
      else visit((inner as Record<string, unknown>)[name], field);
    }
  };
  visit(value, '');
  if (errors.length > 0) throw new InvalidRequestError(errors);
}

function tooManyFields(field: string, most: number): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'too_many_fields', message: `at most ${most} fields are taken` }]);
}

/** Flattens class-validator's tree into errors with a path, such as `assets[0].columns[2].type`. */
function faultsOf(errors: ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = pathOf(parent, error.property);
    const own = firstOf(error.constraints ?? {}).map(([constraint, message]) => ({
      field,
      code: constraint === 'whitelistValidation' ? 'unknown_field' : 'invalid_field',
      message: message.replace(/^(each value in )?property (\S+) should not exist$/, '$2 is not known here'),
    }));
    return [...own, ...faultsOf(error.children ?? [], field)];
  });
}

const KIND = /^is(String|Array|Object|Int|Number|Boolean|Uuid)$/;
const LIMIT = /^(m(in|ax)|isLength|array)/;

/** One fault a field: of what kind it must be, before what it must look like, before how much of it there may be. */
function firstOf(constraints: Record<string, string>): [constraint: string, message: string][] {
  const rank = (constraint: string) => (KIND.test(constraint) ? 0 : LIMIT.test(constraint) ? 2 : 1);
  return Object.entries(constraints)
    .sort(([a], [b]) => rank(a) - rank(b))
    .slice(0, 1);
}

function pathOf(parent: string, name: string): string {
  return /^\d+$/.test(name) ? `${parent}[${name}]` : [parent, name].filter(Boolean).join('.');
}
