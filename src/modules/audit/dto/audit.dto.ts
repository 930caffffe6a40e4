import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsUUID } from 'class-validator';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { Optional, OptionalListOf } from '../../../records/record-fields.decorator.js';
import { AUDIT_RESULTS, type AuditKind, type AuditResult, WORKSPACE_KINDS } from '../audit-kinds.js';

/** `service`: the service itself or its operator. `unknown`: a caller without valid credentials. */
export const PRINCIPAL_TYPES = ['user', 'api_key', 'service', 'unknown'] as const;

export class AuditQueryDto extends PageQueryDto {
  @OptionalListOf(WORKSPACE_KINDS, 'AuditKind')
  kind?: AuditKind[];

  /** The ID of a user or of an API key. A user has also acted by the own API keys. */
  @ApiProperty({ required: false, format: 'uuid' })
  @Optional()
  @IsUUID()
  principal?: string;

  /** At this time or later. */
  @DateTime()
  from?: Date | null;

  /** Before this time. */
  @DateTime()
  to?: Date | null;

  @ApiProperty({ required: false, enum: AUDIT_RESULTS, enumName: 'AuditResult' })
  @Optional()
  @IsIn(AUDIT_RESULTS)
  result?: AuditResult;
}

export class AuditPrincipalDto {
  @ApiProperty({ enum: PRINCIPAL_TYPES, enumName: 'AuditPrincipalType' })
  type: (typeof PRINCIPAL_TYPES)[number];

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  id: string | null;

  /** The display name or the email address of a member, or the name of an API key. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
}

export class AuditEntryDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  at: Date;

  @ApiProperty({ enum: WORKSPACE_KINDS, enumName: 'AuditKind' })
  kind: AuditKind;

  @ApiProperty({ enum: AUDIT_RESULTS, enumName: 'AuditResult' })
  result: AuditResult;

  principal: AuditPrincipalDto;

  /** The first characters of the API key or of the client ID with which the principal acted. */
  @ApiProperty({ type: String, nullable: true, example: 'wsk_Tb3x' })
  credential: string | null;

  @ApiProperty({ type: String, nullable: true, example: '192.0.2.7' })
  address: string | null;

  @ApiProperty({ type: String, nullable: true })
  userAgent: string | null;

  /** Depends on the kind: the affected user, key, tables with counts, batch, reason, and the ID of the request. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  details: object;
}

export class AuditEntryPageDto extends PageOf(AuditEntryDto) {}
