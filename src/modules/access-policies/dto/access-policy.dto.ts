import { applyDecorators } from '@nestjs/common';
import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsObject, MaxLength } from 'class-validator';
import { FieldErrorDto } from '../../../platform/http/error.dto.js';
import { PageOf } from '../../../platform/http/page.dto.js';
import { VersionedDto } from '../../../platform/http/record.dto.js';
import { NestedList } from '../../../platform/http/validation/nested-list.decorator.js';
import { StorableText, TextLength, VisibleText } from '../../../platform/http/validation/text.decorators.js';
import type { Scope } from '../../../platform/security/scopes.js';
import { Name, Nested, Optional, OptionalBoolean, OptionalScopes } from '../../../records/record-fields.decorator.js';
import { MAX_POLICY_COLUMNS, MAX_POLICY_TABLES } from '../access-policies.errors.js';
import { POLICY_ENTITIES, type PolicyEntity, type TableRule } from '../../../../packages/tables/src/catalog/view.js';
import { type NoteRule } from '../policy-rules.js';

const NAME_LENGTH = 255;
const COLUMN_LENGTH = 63;

/** Keys of columns. */
function ColumnKeys(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ required: false, type: [String], maxItems: MAX_POLICY_COLUMNS }),
    Optional(),
    IsArray(),
    ArrayMaxSize(MAX_POLICY_COLUMNS),
    ArrayUnique(),
    MaxLength(COLUMN_LENGTH, { each: true }),
  );
}

export class ColumnRulesDto {
  /** Columns that do not exist for the caller. Not the primary key. */
  @ColumnKeys()
  hidden?: string[];

  /** Columns that the caller may read, but not change. */
  @ColumnKeys()
  readOnly?: string[];
}

export class TableRuleDto implements TableRule {
  @ApiProperty({ enum: POLICY_ENTITIES })
  @IsIn(POLICY_ENTITIES)
  entity: PolicyEntity;

  /** The name of a table in any letter case, its ID, or `*` for all tables that no other rule names. */
  @ApiProperty({ example: '*', minLength: 1, maxLength: NAME_LENGTH })
  @TextLength(1, NAME_LENGTH)
  @StorableText()
  table: string;

  /** Only the row with this key and the rows below it. */
  @ApiProperty({ required: false, maxLength: NAME_LENGTH, example: 'AT10' })
  @Optional()
  @TextLength(1, NAME_LENGTH)
  @StorableText()
  under?: string;

  /** Only rows that match, as in queries. */
  @ApiProperty({ required: false, type: Object, example: { plant: 'AT10' } })
  @Optional()
  @IsObject()
  filter?: Record<string, unknown>;

  @Optional()
  @Nested(ColumnRulesDto)
  columns?: ColumnRulesDto;

  /** May the caller change rows? */
  @OptionalBoolean({ default: false })
  write?: boolean;
}

export class NoteRuleDto implements NoteRule {
  /** Only notes at this location and the locations below it, in whichever table. */
  @ApiProperty({ maxLength: NAME_LENGTH, example: 'AT10' })
  @TextLength(1, NAME_LENGTH)
  @StorableText()
  under: string;
}

export class AccessPolicyInputDto {
  @Name('Maintenance of plant AT10')
  @VisibleText()
  name: string;

  /** What remains of the scopes of the credentials; all by default. */
  @OptionalScopes()
  scopes?: Scope[];

  /** Tables that no rule names do not exist for the caller. Absent: all tables are permitted. */
  @ApiProperty({ required: false, type: [TableRuleDto], maxItems: MAX_POLICY_TABLES })
  @Optional()
  @NestedList(TableRuleDto, MAX_POLICY_TABLES)
  tables?: TableRuleDto[];

  /** Absent: all notes are permitted. */
  @Optional()
  @Nested(NoteRuleDto)
  notes?: NoteRuleDto;
}

export class AccessPolicyDto extends IntersectionType(AccessPolicyInputDto, VersionedDto) {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /**
   * Rules that permit nothing now (`unknown_table`, `unknown_row`, a changed table), and parts that restrict nothing
   * (`unknown_column`, a condition that is true for all rows). Absent if there are none, and in lists.
   */
  @ApiProperty({ required: false, type: [FieldErrorDto] })
  warnings?: FieldErrorDto[];
}

export class AccessPolicyPageDto extends PageOf(AccessPolicyDto) {}
