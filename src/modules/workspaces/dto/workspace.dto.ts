import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsString, IsTimeZone, Matches } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { RecordDto } from '../../../platform/http/record.dto.js';
import { Name, Nested, Optional, OptionalBoolean, OptionalOneOf } from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { ASSISTANTS_SETTINGS, type AssistantsSetting } from '../workspace.entity.js';

const SLUG = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** The one message of both checks of a time zone. */
export const INVALID_TIME_ZONE = 'timezone must be an IANA name such as "Europe/Vienna"';

export class ChangeWorkspaceSettingsDto {
  /** Whether anonymous callers may write notes, provided that the service allows it. */
  @OptionalBoolean()
  publicNotes?: boolean;

  /** What assistants may do: nothing, read, or also propose changes of rows and write notes. */
  @OptionalOneOf(ASSISTANTS_SETTINGS)
  assistants?: AssistantsSetting;
}

/** Fields that are not sent stay unchanged. The statuses of notes have a separate route. */
export class ChangeWorkspaceDto {
  @Optional()
  @Name('Northern plants')
  name?: string;

  /** Short name for people and links, unique in the service. */
  @ApiProperty({ required: false, pattern: SLUG.source, example: 'northern-plants' })
  @Optional()
  @IsString()
  @Matches(SLUG, { message: 'slug must have 1 to 63 characters: a-z, 0-9, and single hyphens between them' })
  slug?: string;

  /** IANA name. */
  @ApiProperty({ required: false, example: 'Europe/Vienna' })
  @Optional()
  @IsTimeZone({ message: INVALID_TIME_ZONE })
  timezone?: string;

  @ApiProperty({ required: false, type: ChangeWorkspaceSettingsDto })
  @Optional()
  @Nested(ChangeWorkspaceSettingsDto)
  settings?: ChangeWorkspaceSettingsDto;
}

export class WorkspaceStatusDto {
  @ApiProperty({ example: 'in_progress' })
  key: string;

  @ApiProperty({ example: 'active' })
  category: string;
}

export class WorkspaceSettingsDto {
  /** The statuses that the workspace has configured for its notes; null if it uses the defaults of the service. */
  noteStatuses: WorkspaceStatusDto[] | null;

  /** Whether anonymous callers may write notes, provided that the service allows it. */
  @ApiProperty({ example: true })
  publicNotes: boolean;

  /** What assistants may do: nothing, read, or also propose changes of rows and write notes. */
  @ApiProperty({ enum: ASSISTANTS_SETTINGS, enumName: 'AssistantsSetting', example: 'read' })
  assistants: AssistantsSetting;
}

export class WorkspaceCountsDto {
  projects: number;
  tours: number;
  tags: number;
  notes: number;
  users: number;
  tables: number;
}

export class WorkspaceDto extends OmitType(RecordDto, ['workspaceId']) {
  @ApiProperty({ example: 'Northern plants' })
  name: string;

  /** Short name for people and links, unique in the service. */
  @ApiProperty({ example: 'northern-plants' })
  slug: string;

  /** IANA name. */
  @ApiProperty({ example: 'Europe/Vienna' })
  timezone: string;

  settings: WorkspaceSettingsDto;

  /** The numbers of its records that are not archived. */
  counts: WorkspaceCountsDto;
}

export class ListWorkspacesDto extends OmitType(
  RecordQuery(WorkspaceDto, { sorts: ['name', 'slug'], searched: 'name or slug' }),
  ['workspaceId', 'externalId', 'archived'],
) {}

export class WorkspacePageDto extends PageOf(WorkspaceDto) {}
