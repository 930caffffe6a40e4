import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  Name,
  Nested,
  OptionalBoolean,
  OptionalId,
  OptionalListOf,
  OptionalText,
  OptionalUrl,
  PartialOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { PROJECT_STATUSES, type ProjectStatus } from '../project.entity.js';

/** A position on the earth in degrees (WGS 84). */
export class GeoPointDto {
  @ApiProperty({ example: 48.2082 })
  @IsNumber()
  @Min(-90)
  @Max(90)
  lat: number;

  @ApiProperty({ example: 16.3738 })
  @IsNumber()
  @Min(-180)
  @Max(180)
  lng: number;
}

export class CreateProjectDto {
  /** Required if the caller is a member of several workspaces. */
  @OptionalId()
  workspaceId?: string | null;

  @ExternalId()
  externalId?: string | null;

  @Name('Boiler house retrofit')
  name: string;

  @OptionalText({ example: 'Scan and tag the boiler house before the outage.' })
  description?: string | null;

  @OptionalText({ maxLength: 1_000, example: 'Simmeringer Hauptstraße 1, 1110 Vienna' })
  address?: string | null;

  @IsOptional()
  @Nested(GeoPointDto)
  geo?: GeoPointDto | null;

  /** URL of an image. */
  @OptionalUrl('https://cdn.example.com/boiler-house.jpg')
  coverImage?: string | null;

  /** May anonymous callers write notes, if the workspace allows it? */
  @OptionalBoolean({ default: true })
  publicNotes?: boolean;
}

/** Fields that are not sent remain unchanged. */
export class ChangeProjectDto extends PartialOf(OmitType(CreateProjectDto, ['workspaceId'])) {}

export class ProjectCountsDto {
  tours: number;
  tags: number;
  openNotes: number;
}

export class ProjectDto extends ArchivableRecordDto {
  @ApiProperty({ example: 'Boiler house retrofit' })
  name: string;

  description: string | null;

  /** `archived` while `archivedAt` is set. */
  @ApiProperty({ enum: PROJECT_STATUSES, enumName: 'ProjectStatus' })
  status: ProjectStatus;

  address: string | null;

  geo: GeoPointDto | null;

  coverImage: string | null;

  /** May anonymous callers write notes, if the workspace allows it? */
  @ApiProperty({ example: true })
  publicNotes: boolean;

  /** Records of the project that are not archived. */
  counts: ProjectCountsDto;
}

export class ListProjectsDto extends RecordQuery(ProjectDto, { sorts: ['name'], searched: 'name or description' }) {
  @OptionalListOf(PROJECT_STATUSES)
  status?: ProjectStatus[];
}

export class ProjectPageDto extends PageOf(ProjectDto) {}
