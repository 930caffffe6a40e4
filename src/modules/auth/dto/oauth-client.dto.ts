import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../../platform/http/page.dto.js';
import { type Scope, SCOPES } from '../../../platform/security/scopes.js';
import { OptionalId } from '../../../records/record-fields.decorator.js';

const CLIENT_STATUSES = ['active', 'disabled'] as const;

/** Client credentials of a member, without the secret. */
export class OAuthClientDto {
  @ApiProperty({ example: 'wsc_4Zk8Qm2T' })
  id: string;

  /** The member whom the client signs in. */
  @ApiProperty({ format: 'uuid' })
  userId: string;

  /** What the client may request. */
  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope' })
  scopes: Scope[];

  @ApiProperty({ enum: CLIENT_STATUSES, enumName: 'OAuthClientStatus' })
  status: (typeof CLIENT_STATUSES)[number];

  /** The access policy that restricts the client in this workspace, in addition to that of its user. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  policyId: string | null;

  createdAt: Date;
}

export class OAuthClientPageDto extends PageOf(OAuthClientDto) {}

export class ChangeOAuthClientDto {
  /** The access policy in this workspace; null removes it. */
  @OptionalId()
  policyId?: string | null;
}
