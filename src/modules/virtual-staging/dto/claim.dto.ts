import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import { NotBlank, StorableText } from '../../../platform/http/validation/text.decorators.js';
import { Name, Optional, OptionalId } from '../../../records/record-fields.decorator.js';
import { VIRTUAL_STAGING_TYPES, type VirtualStagingType } from '../virtual-staging.entity.js';
import { StagingDto } from './virtual-staging.dto.js';

const DEFAULT_LEASE_S = 60;
const MIN_LEASE_S = 10;
const MAX_LEASE_S = 3_600;

/** Longest text of an error, in characters. */
const ERROR_LENGTH = 2_000;

export class ClaimStagingDto {
  /** Only this workspace's; any of the caller's where nothing is said. */
  @OptionalId()
  workspaceId?: string | null;

  /** What the renderer can do; all types where nothing is said. */
  @ApiProperty({ required: false, enum: VIRTUAL_STAGING_TYPES, isArray: true })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(VIRTUAL_STAGING_TYPES.length)
  @IsIn(VIRTUAL_STAGING_TYPES, { each: true })
  types?: VirtualStagingType[];

  /** How long the claim may be silent, in seconds: then the staging is queued again. */
  @ApiProperty({
    required: false,
    type: 'integer',
    minimum: MIN_LEASE_S,
    maximum: MAX_LEASE_S,
    default: DEFAULT_LEASE_S,
  })
  @Optional()
  @IsInt()
  @Min(MIN_LEASE_S)
  @Max(MAX_LEASE_S)
  leaseSeconds: number = DEFAULT_LEASE_S;
}

/** The staging that was claimed; both are null where none is queued. */
export class StagingClaimDto {
  /** Goes with every call about the staging, as `X-Claim-Token` or in the body. Known to the renderer alone. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  claimToken: string | null;

  @ApiProperty({ type: StagingDto, nullable: true })
  staging: StagingDto | null;
}

/** What every call of a renderer has, where the header has it not. */
export class HeldClaimDto {
  /** The token of the claim, where `X-Claim-Token` has it not. */
  @ApiProperty({ required: false, format: 'uuid', example: '7f9c2ba4-e88f-4a1d-9c61-1f3b8ad5c0de' })
  @Optional()
  @IsUUID()
  claimToken?: string;
}

export class HeartbeatDto extends HeldClaimDto {
  /** In percent; what is not sent stays as it is. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: 100, example: 40 })
  @Optional()
  @IsInt()
  @Min(0)
  @Max(100)
  progress?: number;
}

export class AddVariationsDto extends HeldClaimDto {
  /** What the images are called. */
  @Name('Warm oak, evening light')
  label: string;
}

export class FailStagingDto extends HeldClaimDto {
  /** Why, for people. */
  @ApiProperty({ minLength: 1, maxLength: ERROR_LENGTH, example: 'The picture shows no room.' })
  @IsString()
  @Length(1, ERROR_LENGTH)
  @NotBlank()
  @StorableText()
  error: string;
}
