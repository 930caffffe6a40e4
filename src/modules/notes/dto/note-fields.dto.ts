import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { EmptyIsNull, StorableText } from '../../../platform/http/validation/text.decorators.js';
import { CustomFields } from './custom-fields.decorator.js';

/** An optional text; empty or null, it clears the field. */
export function NoteText(maxLength: number, example?: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, nullable: true, maxLength, example }),
    EmptyIsNull(),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
    StorableText(),
  );
}

/** The largest id of a tag: an integer of 32 bits. */
const MAX_TAG_ID = 2 ** 31 - 1;

export function TagId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: 'integer', nullable: true, minimum: 1, maximum: MAX_TAG_ID, example: 42 }),
    Transform(({ value }: { value: unknown }) =>
      value === '' ? null : typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value,
    ),
    IsOptional(),
    IsInt(),
    Min(1),
    Max(MAX_TAG_ID),
  );
}

/** An optional id; empty or null, it clears the field. */
export function OptionalUuid(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: String, format: 'uuid', nullable: true }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() || null : value)),
    IsOptional(),
    IsUUID(),
  );
}

/** What every note may say (specification, section 2.6). Every field is optional. */
export class NoteFieldsDto {
  @NoteText(500, 'Leak at the feed pump')
  title?: string | null;

  @NoteText(100_000, 'Oil on the floor below the coupling.')
  description?: string | null;

  /** One of the workspace's statuses; case, spaces and hyphens make no difference. A new note is `open`. */
  @NoteText(100, 'open')
  status?: string | null;

  @NoteText(255, 'high')
  priority?: string | null;

  @NoteText(255, 'maria.huber@example.com')
  assignee?: string | null;

  @NoteText(255, 'j.novak@example.com')
  reporter?: string | null;

  /** RFC 3339, with an offset. */
  @DateTime()
  scheduledDate?: Date | null;

  /** RFC 3339, with an offset. */
  @DateTime()
  dueDate?: Date | null;

  /** At most 100 fields of text. Those that are sent replace all there were. In a form: JSON, or `customFields[key]`. */
  @CustomFields()
  customFields?: Record<string, string> | null;
}
