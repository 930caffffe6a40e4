import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../../platform/http/page.dto.js';
import { VisibleText } from '../../../platform/http/validation/text.decorators.js';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { type Scope, SCOPES } from '../../../platform/security/scopes.js';
import { Name, OptionalId, OptionalInteger, OptionalScopes } from '../../../records/record-fields.decorator.js';

/** The longest overlap of a rotation through the API, in seconds. */
export const MAX_OVERLAP_S = 30 * 24 * 3_600;

export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export class CreateApiKeyDto {
  @Name('Maintenance reports')
  @VisibleText()
  name: string;

  /** At most those of the caller, which are the default. */
  @OptionalScopes()
  scopes?: Scope[];

  /** End of the validity; none by default. */
  @DateTime()
  expiresAt?: Date | null;

  /** The access policy that restricts the key, in addition to that of its user. It remains in a rotation. */
  @OptionalId()
  policyId?: string | null;
}

export class RotateApiKeyDto {
  /** Seconds for which the former secret is still valid. */
  @OptionalInteger(0, MAX_OVERLAP_S, { default: 0 })
  overlapS?: number;

  /** The new end of the validity; unchanged if it is not sent. */
  @DateTime()
  expiresAt?: Date | null;
}

/** A former secret that is still valid after a rotation. */
export class FormerSecretDto {
  @ApiProperty({ example: '8fQx' })
  last4: string;

  expiresAt: Date;

  /** To the minute; null if it was never used. */
  lastUsedAt: Date | null;
}

/** An API key without its secret. */
export class ApiKeyDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'Maintenance reports' })
  name: string;

  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope' })
  scopes: Scope[];

  /** The first characters of the key; null for keys that were created before they were stored. */
  @ApiProperty({ type: String, nullable: true, example: 'wsk_4Zk8' })
  prefix: string | null;

  /** The last characters of the key. */
  @ApiProperty({ example: '8fQx' })
  last4: string;

  @ApiProperty({ enum: API_KEY_STATUSES, enumName: 'ApiKeyStatus' })
  status: ApiKeyStatus;

  /** The user for whom the key acts, with the role of this user. */
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  policyId: string | null;

  /** Null if the operator created it. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  createdAt: Date;

  expiresAt: Date | null;

  /** To the minute; null if the current secret was never used. */
  lastUsedAt: Date | null;

  revokedAt: Date | null;

  /** Oldest first. */
  formerSecrets: FormerSecretDto[];
}

/** The only response that contains the key. */
export class IssuedApiKeyDto extends ApiKeyDto {
  @ApiProperty({ example: 'wsk_…' })
  apiKey: string;
}

export class ApiKeyPageDto extends PageOf(ApiKeyDto) {}
