import { applyDecorators } from '@nestjs/common';
import { IsString, ValidateBy } from 'class-validator';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import {
  NotBlank,
  StorableText,
  TextLength,
  Trimmed,
  VisibleText,
} from '../../../platform/http/validation/text.decorators.js';

/** The name of a table. A UUID would be ambiguous in paths, which accept IDs and names. */
export function TableName(): PropertyDecorator {
  return applyDecorators(
    IsString(),
    TextLength(1, 255),
    StorableText(),
    Trimmed(),
    NotBlank(),
    VisibleText(),
    ValidateBy({
      name: 'notAnId',
      validator: {
        validate: (value) => !isUuid(value),
        defaultMessage: (args) => `${args?.property} must not be a UUID, because UUIDs are IDs of tables`,
      },
    }),
  );
}
