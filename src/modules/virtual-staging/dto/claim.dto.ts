import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, IsUUID } from 'class-validator';
import { NotBlank, StorableText, TextLength } from '../../../platform/http/validation/text.decorators.js';
import { Name, Optional, OptionalId, OptionalInteger } from '../../../records/record-fields.decorator.js';
import { VIRTUAL_STAGING_TYPES, type VirtualStagingType } from '../virtual-staging.entity.js';
import { StagingDto } from './virtual-staging.dto.js';

const DEFAULT_LEASE_S = 60;
const MIN_LEASE_S = 10;
export const MAX_LEASE_S = 3_600;

/** Maximum length of an error in characters. */
const ERROR_LENGTH = 2_000;

export class ClaimStagingDto {
  /** Only virtual stagings of this workspace. By default, those of all the caller's workspaces. */
  @OptionalId()
  workspaceId?: string | null;

  /** The types that the renderer supports. By default all. */
  @ApiProperty({ required: false, enum: VIRTUAL_STAGING_TYPES, enumName: 'VirtualStagingType', isArray: true })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(VIRTUAL_STAGING_TYPES.length)
  @IsIn(VIRTUAL_STAGING_TYPES, { each: true })
  types?: VirtualStagingType[];

  /** Length of the lease in seconds. If it expires, the virtual staging is queued again. */
  @OptionalInteger(MIN_LEASE_S, MAX_LEASE_S)
  leaseSeconds: number = DEFAULT_LEASE_S;
}

/** The claimed virtual staging. `claimToken` and `staging` are null if none is queued. */
export class StagingClaimDto {
  /** Authorizes calls about the virtual staging, as `X-Claim-Token` or in the body. Only the renderer gets it. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  claimToken: string | null;

  staging: StagingDto | null;
}

/** The body of every call about a claimed virtual staging. */
export class ClaimTokenDto {
  /** The token of the claim, unless `X-Claim-Token` contains it. */
  @ApiProperty({ required: false, format: 'uuid', example: '7f9c2ba4-e88f-4a1d-9c61-1f3b8ad5c0de' })
  @Optional()
  @IsUUID()
  claimToken?: string;
}

export class HeartbeatDto extends ClaimTokenDto {
  /** In percent. By default unchanged. */
  @OptionalInteger(0, 100, { example: 40 })
  progress?: number;
}

export class AddVariationsDto extends ClaimTokenDto {
  /** Label of the images. */
  @Name('Warm oak, evening light')
  label: string;
}

export class FailStagingDto extends ClaimTokenDto {
  /** The reason, for people. */
  @ApiProperty({ minLength: 1, maxLength: ERROR_LENGTH, example: 'The picture shows no room.' })
  @IsString()
  @TextLength(1, ERROR_LENGTH)
  @NotBlank()
  @StorableText()
  error: string;
}
