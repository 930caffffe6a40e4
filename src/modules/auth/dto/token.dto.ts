import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import { SCOPES } from '../../../platform/security/scopes.js';

/** A token request (specification, section 4.1). */
export class TokenRequestDto {
  /** `password` signs in with client credentials; `refresh_token` continues a session. */
  @ApiProperty({ enum: ['password', 'refresh_token'], example: 'password' })
  @IsOptional()
  @IsString()
  grant_type?: string;

  /** With the password grant, unless the Basic header is sent. */
  @ApiProperty({ required: false, example: 'wsc_…' })
  @IsOptional()
  @IsString()
  client_id?: string;

  /** With the password grant, unless the Basic header is sent. */
  @ApiProperty({ required: false, example: 'wss_…' })
  @IsOptional()
  @IsString()
  client_secret?: string;

  /** What the access token is to grant; `["api"]` by default. A refresh may narrow it, never widen it. */
  @ApiProperty({ required: false, isArray: true, enum: SCOPES, example: ['api'] })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  scope?: string[];

  /** With the refresh_token grant: the latest refresh token, which works once. */
  @ApiProperty({ required: false, example: 'eyJ…' })
  @IsOptional()
  @IsString()
  refresh_token?: string;
}

/** A token pair (specification, section 2.1). */
export class TokenResponseDto {
  /** JWT, for the `Authorization: Bearer` header. */
  @ApiProperty({ example: 'eyJ…' })
  access_token: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type: 'Bearer';

  /** Seconds for which the access token works. */
  @ApiProperty({ type: 'integer', example: 900 })
  expires_in: number;

  /** JWT, for the refresh_token grant; works once. */
  @ApiProperty({ example: 'eyJ…' })
  refresh_token: string;

  /** The granted scopes, separated by spaces. */
  @ApiProperty({ example: 'api' })
  scope: string;
}
