import { applyDecorators } from '@nestjs/common';
import { IsString, Length, ValidateBy } from 'class-validator';
import { validate as isUuid } from 'uuid';
import { NotBlank, StorableText, Trimmed } from '../../../platform/http/validation/text.decorators.js';

/** What a table is to be called. Never like an id: a path that names a table would mean two. */
export function TableName(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Length(1, 255),
    StorableText(),
    Trimmed(),
    NotBlank(),
    ValidateBy({
      name: 'notAnId',
      validator: {
        validate: (value) => !isUuid(value),
        defaultMessage: (args) => `${args?.property} must not be a UUID, which names a table by its id`,
      },
    }),
  );
}
