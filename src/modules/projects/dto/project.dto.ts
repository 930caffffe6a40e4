import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, IsUUID, Length, MaxLength, ValidateIf } from 'class-validator';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { RecordDto } from '../../../platform/http/record.dto.js';
import { NotBlank, StorableText } from '../../../platform/http/storable-text.decorator.js';
import { PROJECT_STATUSES, type ProjectStatus } from '../project.entity.js';

export class CreateProjectDto {
  /** Needed only where the caller is a member of several workspaces. */
  @ApiProperty({ required: false, format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;

  @ApiProperty({ example: 'Boiler house retrofit' })
  @IsString()
  @Length(1, 255)
  @NotBlank()
  @StorableText()
  name: string;

  @ApiProperty({ required: false, example: 'Scan and tag the boiler house before the outage.' })
  @IsOptional()
  @IsString()
  @MaxLength(100_000)
  @StorableText()
  description?: string;

  /** Callers without credentials may write notes in the project, where the workspace lets them. */
  @ApiProperty({ required: false, default: true })
  @IsOptional()
  @IsBoolean()
  publicNotes?: boolean;
}

const isSent = (_: object, value: unknown) => value !== undefined;

/** What is not sent stays as it is. */
export class ChangeProjectDto {
  @ApiProperty({ required: false, example: 'Boiler house retrofit, phase 2' })
  @ValidateIf(isSent)
  @IsString()
  @Length(1, 255)
  @NotBlank()
  @StorableText()
  name?: string;

  /** null takes it away. */
  @ApiProperty({ required: false, type: String, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(100_000)
  @StorableText()
  description?: string | null;

  /** Callers without credentials may write notes in the project, where the workspace lets them. */
  @ApiProperty({ required: false })
  @ValidateIf(isSent)
  @IsBoolean()
  publicNotes?: boolean;
}

export class ListProjectsDto extends PageQueryDto {
  /** Only this workspace's. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;

  @ApiProperty({ required: false, enum: PROJECT_STATUSES })
  @IsOptional()
  @IsIn(PROJECT_STATUSES)
  status?: ProjectStatus;
}

export class ProjectDto extends RecordDto {
  @ApiProperty({ example: 'Boiler house retrofit' })
  name: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ enum: PROJECT_STATUSES })
  status: ProjectStatus;

  /** Callers without credentials may write notes in the project, where the workspace lets them. */
  @ApiProperty({ example: true })
  publicNotes: boolean;
}

export class ProjectPageDto extends PageOf(ProjectDto) {}
