import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { isUuid } from '../../database/uuid.js';
import { InvalidRequestError } from '../domain-error.js';

/** An ID in the path: a UUID of any version, converted to lower case as in the database. */
export class UuidPipe implements PipeTransform<string, string> {
  transform(value: string, { data = 'id' }: ArgumentMetadata): string {
    if (isUuid(value)) return value.toLowerCase();
    throw new InvalidRequestError([{ field: data, code: 'invalid_field', message: `${data} must be a UUID.` }]);
  }
}
