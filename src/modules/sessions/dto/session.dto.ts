import { ApiProperty } from '@nestjs/swagger';
import { type Scope, SCOPES } from '../../../platform/security/scopes.js';

/** A signed-in session of the caller. */
export class SessionDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The client that signed in. */
  @ApiProperty({ example: 'wsc_…' })
  clientId: string;

  /** What its access tokens may grant. */
  @ApiProperty({ isArray: true, enum: SCOPES, example: ['api'] })
  scopes: Scope[];

  createdAt: Date;

  /** When it was last signed in or refreshed. */
  lastUsedAt: Date;

  /** When it ends unless it is refreshed. */
  expiresAt: Date;

  /** Is it the session that this request was made with? */
  current: boolean;
}
