import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length, MaxLength } from 'class-validator';
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
}

export class ProjectPageDto extends PageOf(ProjectDto) {}
