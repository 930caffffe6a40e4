import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import { SCOPES } from '../../../platform/security/scopes.js';
import type { OAuth2Request } from '../oauth2-parameters.js';

/** The client's credentials in a request's body (specification, section 4.1); the Basic header wins over them. */
export class ClientParametersDto {
  /** Needed unless the Basic header is sent, or the request is a refresh. */
  @ApiProperty({ required: false, example: 'wsc_…' })
  @IsOptional()
  @IsString()
  client_id?: string;

  /** Needed unless the Basic header is sent, or the request is a refresh. */
  @ApiProperty({ required: false, example: 'wss_…' })
  @IsOptional()
  @IsString()
  client_secret?: string;
}

/** A token request (specification, section 4.1). */
export class TokenRequestDto extends ClientParametersDto {
  /**
   * `password` signs in with client credentials; `refresh_token` continues a session. Forms may say `client_credentials`
   * too, for a session without a refresh token.
   */
  @ApiProperty({ required: true, enum: ['password', 'refresh_token', 'client_credentials'], example: 'password' })
  @IsOptional()
  @IsString()
  grant_type?: string;

  /** What the access token is to grant; `["api"]` by default. In a form, one text with spaces between scopes. A refresh may narrow it, never widen it. */
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

/** What is read of a form. */
export const TOKEN_REQUEST: OAuth2Request<TokenRequestDto> = {
  type: TokenRequestDto,
  parameters: ['grant_type', 'client_id', 'client_secret', 'scope', 'refresh_token'],
};

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

  /** JWT, for the refresh_token grant; works once. The client_credentials grant gives none. */
  @ApiProperty({ required: false, example: 'eyJ…' })
  refresh_token?: string;

  /** The granted scopes, separated by spaces. */
  @ApiProperty({ example: 'api' })
  scope: string;
}
