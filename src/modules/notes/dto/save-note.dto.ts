import { ApiExtraModels, ApiProperty, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayUnique, IsOptional, IsString, Matches } from 'class-validator';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { NestedList } from '../../../platform/http/validation/nested-list.decorator.js';
import { StorableText } from '../../../platform/http/validation/text.decorators.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import { ExternalId, Name, OptionalText, OptionalUrl } from '../../../records/record-fields.decorator.js';
import { NamedRowsDto } from '../../../records/row-reference.dto.js';
import { NoteFieldsDto, OptionalUuid, TagId } from './note-fields.dto.js';

/** A note of a project or tag (specification, section 2.6). */
export class PublicNoteDto extends NoteFieldsDto {
  /** Without `id`, a note is created; with it, that note is updated. */
  @OptionalUuid()
  id?: string | null;

  @TagId()
  tagId?: number | null;

  @OptionalUuid()
  projectId?: string | null;

  /** Used only without credentials, where `tagId` needs its project or its tour. */
  @OptionalUuid()
  tourId?: string | null;
}

export const MAX_EXTERNAL_REFERENCES = 20;

/** What another system has for a note, such as a maintenance notification. */
export class ExternalReferenceDto {
  @ApiProperty({ example: 'SAP', maxLength: 63 })
  @Matches(/^[^:\s][^:]{0,62}$/, { message: '$property must have 1 to 63 characters without a colon' })
  @IsString()
  @StorableText()
  system: string;

  @Name('000010004711')
  id: string;

  @OptionalUrl('https://sap.example.com/notification/000010004711')
  url?: string | null;
}

/** A note of a workspace (specification, section 2.6). */
export class WorkspaceNoteDto extends IntersectionType(NoteFieldsDto, NamedRowsDto) {
  /** ID in the caller's system, unique per workspace. Creating a note with an existing ID updates it. */
  @ExternalId()
  externalId?: string | null;

  /** Replaces all. Each belongs to one note. */
  @ApiProperty({ required: false, type: [ExternalReferenceDto], nullable: true, maxItems: MAX_EXTERNAL_REFERENCES })
  @IsOptional()
  @NestedList(ExternalReferenceDto, MAX_EXTERNAL_REFERENCES)
  @ArrayUnique(({ system, id }: ExternalReferenceDto) => JSON.stringify([system, id]), {
    message: 'externalReferences must have different values of system and id',
  })
  externalReferences?: ExternalReferenceDto[] | null;

  /** Accepted for compatibility and ignored. */
  @OptionalUuid()
  tourId?: string | null;
}

/** A note of a bulk request. */
export class BulkNoteDto extends OmitType(WorkspaceNoteDto, ['tourId']) {}

export class NotesBulkDto extends BulkOf(BulkNoteDto) {}

class ExternalNoteDto extends PickType(WorkspaceNoteDto, ['externalId', 'externalReferences']) {}

@ApiExtraModels(NoteFieldsDto, ExternalNoteDto)
export class SaveNoteDto extends IntersectionType(PublicNoteDto, ExternalNoteDto) {}

/** Changes of a note. Absent fields remain unchanged; null or empty clears a field. */
export class ChangeNoteDto extends IntersectionType(
  WorkspaceNoteDto,
  PickType(PublicNoteDto, ['tagId', 'projectId']),
) {}

/** Changes of many notes: what has the same meaning for each. Absent fields remain unchanged; null clears a field. */
export class NoteChangesDto extends PickType(ChangeNoteDto, [
  ...(['type', 'status', 'priority', 'category', 'workCenter', 'assignee', 'reporter'] as const),
  ...(['scheduledDate', 'dueDate', 'fields'] as const),
]) {}

/** A message (specification, section 2.6). */
export class WorkspaceMessageDto {
  @OptionalText({ example: 'Tightened the coupling.' })
  description?: string | null;
}

export class SaveMessageDto extends WorkspaceMessageDto {
  /** ID of the note. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value,
  )
  @Matches(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, { message: 'threadId must be a UUID' })
  threadId: string;
}
