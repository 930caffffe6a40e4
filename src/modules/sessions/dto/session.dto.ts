import { ApiProperty } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../../platform/security/scopes.js';

/** An active session of the caller. */
export class SessionDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The client that signed in. */
  @ApiProperty({ example: 'wsc_…' })
  clientId: string;

  /** The scopes that its access tokens may have. */
  @ApiProperty({ isArray: true, enum: SCOPES, enumName: 'Scope', example: ['api'] })
  scopes: Scope[];

  createdAt: Date;

  /** Time of the last sign-in or refresh. */
  lastUsedAt: Date;

  /** Time at which it ends unless it is refreshed. */
  expiresAt: Date;

  /** True for the session of this request. */
  current: boolean;
}

/** All active sessions of the caller. */
export class SessionListDto {
  @ApiProperty({ type: [SessionDto] })
  items: SessionDto[];
}
