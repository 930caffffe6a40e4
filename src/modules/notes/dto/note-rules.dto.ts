import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { NestedList } from '../../../platform/http/validation/nested-list.decorator.js';
import { Normal, StorableText } from '../../../platform/http/validation/text.decorators.js';
import { type Role, ROLES } from '../../../platform/security/roles.js';
import {
  Name,
  Optional,
  OptionalBoolean,
  OptionalOneOf,
  OptionalString,
} from '../../../records/record-fields.decorator.js';
import { STATUS_CATEGORIES, type StatusCategory } from '../note-status.js';

export const MAX_STATUSES = 50;
export const MAX_FIELDS = 50;
export const MAX_TYPES = 50;
export const MAX_CHOICES = 500;
export const MAX_TRANSITIONS = 500;

/** `row`: the key of a row of a table; `user`: the ID of a member of the workspace. */
const NOTE_FIELD_TYPES = ['text', 'number', 'date', 'checkbox', 'choice', 'row', 'user'] as const;
type NoteFieldType = (typeof NOTE_FIELD_TYPES)[number];

/** An optional list of different texts. */
function OptionalTexts(maxItems: number, example: readonly string[]): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: [String], maxItems, example }),
    Optional(),
    IsArray(),
    ArrayMaxSize(maxItems),
    ArrayUnique(),
    IsString({ each: true }),
    MaxLength(255, { each: true }),
    StorableText({ each: true }),
  );
}

export class NoteStatusDto {
  /** 1 to 63 lower-case letters, digits and `_`. Other spellings are normalized. */
  @ApiProperty({ example: 'in_progress' })
  @IsString()
  @Matches(/^[A-Za-z][A-Za-z0-9_ -]{0,62}$/, {
    message: '$property must begin with a letter and have 1 to 63 letters, digits, _, - or spaces',
  })
  key: string;

  /** A status of category `done` closes a note. */
  @ApiProperty({ enum: STATUS_CATEGORIES, enumName: 'NoteStatusCategory' })
  @IsIn(STATUS_CATEGORIES)
  category: StatusCategory;
}

export class NoteStatusesDto {
  @ApiProperty({ type: [NoteStatusDto], maxItems: MAX_STATUSES })
  @ArrayMinSize(1)
  @NestedList(NoteStatusDto, MAX_STATUSES)
  statuses: NoteStatusDto[];
}

/** A key that callers write in notes and filters. */
function RuleKey(example: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ example, pattern: KEY.source }),
    IsString(),
    Matches(KEY, { message: '$property must begin with a letter and have 1 to 63 letters, digits and _' }),
  );
}

const KEY = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export class NoteFieldDefinitionDto {
  /** `priority`, `category`, `workCenter`, `assignee`, `reporter`, or a custom field. */
  @RuleKey('priority')
  key: string;

  @Name('Priority')
  name: string;

  @ApiProperty({ enum: NOTE_FIELD_TYPES, enumName: 'NoteFieldType', example: 'row' })
  @IsIn(NOTE_FIELD_TYPES)
  type: NoteFieldType;

  /** Of `row`: the name or ID of the table. */
  @OptionalString(255, { example: 'Priorities' })
  @Normal()
  table?: string;

  /** Of `choice`: the values. */
  @OptionalTexts(MAX_CHOICES, ['day', 'night'])
  choices?: string[];

  /** Must a note have a value? */
  @OptionalBoolean({ example: false })
  required?: boolean;

  /** The keys of the note types that have the field. Default: all. */
  @OptionalTexts(MAX_TYPES, ['defect'])
  types?: string[];
}

export class NoteFieldDefinitionsDto {
  @ApiProperty({ type: [NoteFieldDefinitionDto], maxItems: MAX_FIELDS })
  @NestedList(NoteFieldDefinitionDto, MAX_FIELDS)
  fields: NoteFieldDefinitionDto[];
}

export class NoteTransitionDto {
  @ApiProperty({ example: 'open' })
  @IsString()
  @MaxLength(100)
  from: string;

  @ApiProperty({ example: 'in_progress' })
  @IsString()
  @MaxLength(100)
  to: string;

  /** The least role that may make it. Default: each that may write notes. */
  @OptionalOneOf(ROLES)
  role?: Role;
}

export class NoteTypeDto {
  @RuleKey('defect')
  key: string;

  @Name('Defect')
  name: string;

  /** Fields of which a note must have a value. */
  @OptionalTexts(MAX_FIELDS, ['title', 'location'])
  required?: string[];

  /** The status of a new note. Default: `open`. */
  @OptionalString(100, { example: 'open' })
  defaultStatus?: string;

  /** The permitted statuses. Default: all of the workspace. */
  @OptionalTexts(MAX_STATUSES, ['open', 'in_progress', 'closed'])
  statuses?: string[];

  /** The permitted changes of the status. Default: all. */
  @ApiProperty({ required: false, type: [NoteTransitionDto], maxItems: MAX_TRANSITIONS })
  @Optional()
  @NestedList(NoteTransitionDto, MAX_TRANSITIONS)
  transitions?: NoteTransitionDto[];
}

export class NoteTypesDto {
  @ApiProperty({ type: [NoteTypeDto], minItems: 1, maxItems: MAX_TYPES })
  @ArrayMinSize(1)
  @NestedList(NoteTypeDto, MAX_TYPES)
  types: NoteTypeDto[];
}
