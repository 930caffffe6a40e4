import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isEmail, ValidateBy } from 'class-validator';
import { isStorable, normalText } from '../../../../packages/tabular/src/normalization.js';
import { TextLength } from './text.decorators.js';

const EMAIL_LENGTH = 254;

/** The stored form of an email address, so that all spellings identify one user. */
export function normalizeEmail(text: string): string {
  return normalText(text).toLowerCase();
}

/** Normalizes and validates an email address. */
export function Email(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'email', maxLength: EMAIL_LENGTH, example: 'ada@example.com' }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalizeEmail(value) : value)),
    ValidateBy({
      name: 'isEmail',
      validator: {
        // isEmail throws for text that cannot be stored.
        validate: (value) => typeof value === 'string' && isStorable(value) && isEmail(value),
        defaultMessage: () => '$property must be an email address',
      },
    }),
    TextLength(0, EMAIL_LENGTH),
  );
}
