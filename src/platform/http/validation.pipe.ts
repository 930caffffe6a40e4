import { ValidationPipe } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type Fault, InvalidRequestError } from './domain-error.js';

const OPTIONS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true } as const;

/** Bodies and queries become instances of their DTO classes; what does not fit is 400 with every fault at once. */
export const dtoValidation = new ValidationPipe({
  ...OPTIONS,
  transform: true,
  exceptionFactory: (errors) => new InvalidRequestError(faultsOf(errors)),
});

/** The same for a value that does not come through a pipe. @throws {InvalidRequestError} */
export function validated<T extends object>(type: ClassConstructor<T>, value: unknown): T {
  const instance = plainToInstance(type, value);
  const errors = validateSync(instance, OPTIONS);
  if (errors.length > 0) throw new InvalidRequestError(faultsOf(errors));
  return instance;
}

/** Flattens class-validator's tree into faults with a path, such as `assets[0].columns[2].type`. */
function faultsOf(errors: ValidationError[], parent = ''): Fault[] {
  return errors.flatMap((error) => {
    const field = /^\d+$/.test(error.property)
      ? `${parent}[${error.property}]`
      : [parent, error.property].filter(Boolean).join('.');
    const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) => ({
      field,
      code: constraint === 'whitelistValidation' ? 'unknown_field' : 'invalid_field',
      message: message.replace(/^(each value in )?property (\S+) should not exist$/, '$2 is not known here'),
    }));
    return [...own, ...faultsOf(error.children ?? [], field)];
  });
}
