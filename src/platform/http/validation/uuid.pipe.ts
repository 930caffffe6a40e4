import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { InvalidRequestError } from '../domain-error.js';

/** A parameter of a path that is an id: a UUID of whatever version, in lower case, as the database writes it. */
export class UuidPipe implements PipeTransform<string, string> {
  transform(value: string, { data = 'id' }: ArgumentMetadata): string {
    if (isUuid(value)) return value.toLowerCase();
    throw new InvalidRequestError([{ field: data, code: 'invalid_field', message: `${data} must be a UUID.` }]);
  }
}
