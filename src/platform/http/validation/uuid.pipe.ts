import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';
import { validateWithOthers } from './request-errors.js';

/** An ID in the path: a UUID of any version, converted to lower case as in the database. */
export class UuidPipe implements PipeTransform<string, string | Promise<string>> {
  transform(value: string, { data = 'id', type }: ArgumentMetadata): string | Promise<string> {
    if (isUuid(value)) return value.toLowerCase();
    const error = new InvalidRequestError([{ field: data, code: 'invalid_field', message: `${data} must be a UUID.` }]);
    return validateWithOthers(type, Promise.reject(error));
  }
}
