import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import { SCOPES } from '../../../platform/security/scopes.js';
import type { OAuth2Request } from '../oauth2-endpoint.decorator.js';

/** Client credentials in the body (specification, section 4.1). The Basic header takes precedence. */
export class ClientParametersDto {
  /** Required without a Basic header, except for a refresh. */
  @ApiProperty({ required: false, example: 'wsc_…' })
  @IsOptional()
  @IsString()
  client_id?: string;

  /** Required without a Basic header, except for a refresh. */
  @ApiProperty({ required: false, example: 'wss_…' })
  @IsOptional()
  @IsString()
  client_secret?: string;
}

/** A token request (specification, section 4.1). */
@ApiExtraModels(ClientParametersDto)
export class TokenRequestDto extends ClientParametersDto {
  /**
   * `password` signs in with client credentials; `refresh_token` continues a session. Forms may also use
   * `client_credentials`.
   */
  @ApiProperty({ required: true, enum: ['password', 'refresh_token', 'client_credentials'], example: 'password' })
  @IsOptional()
  @IsString()
  grant_type?: string;

  /** `["api"]` by default. In a form, one string with spaces. A refresh may narrow the scopes, never widen them. */
  @ApiProperty({ required: false, isArray: true, enum: SCOPES, enumName: 'Scope', example: ['api'] })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  scope?: string[];

  /** Required with the refresh_token grant: the latest refresh token. It is valid once. */
  @ApiProperty({ required: false, example: 'eyJ…' })
  @IsOptional()
  @IsString()
  refresh_token?: string;
}

/** The parameters that are read from a form. */
export const TOKEN_REQUEST: OAuth2Request<TokenRequestDto> = {
  type: TokenRequestDto,
  parameters: ['grant_type', 'client_id', 'client_secret', 'scope', 'refresh_token'],
};

/** A token pair (specification, section 2.1). */
export class TokenResponseDto {
  /** JWT for the `Authorization: Bearer` header. */
  @ApiProperty({ example: 'eyJ…' })
  access_token: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type: 'Bearer';

  /** In seconds. */
  @ApiProperty({ type: 'integer', example: 900 })
  expires_in: number;

  /** JWT for the refresh_token grant, valid once. Absent with the client_credentials grant. */
  @ApiProperty({ required: false, example: 'eyJ…' })
  refresh_token?: string;

  /** The granted scopes, separated by spaces. */
  @ApiProperty({ example: 'api' })
  scope: string;
}

/** A revocation request (RFC 7009, section 2.1). */
export class RevocationRequestDto extends ClientParametersDto {
  /** An access token or a refresh token. Either revokes the whole session. */
  @ApiProperty({ example: 'eyJ…' })
  @IsOptional()
  @IsString()
  token?: string;

  /** Accepted but not needed: the type of a token is in its header. */
  @ApiProperty({ required: false, enum: ['access_token', 'refresh_token'] })
  @IsOptional()
  @IsString()
  token_type_hint?: string;
}

/** The parameters that are read from a form. */
export const REVOCATION_REQUEST: OAuth2Request<RevocationRequestDto> = {
  type: RevocationRequestDto,
  parameters: ['token', 'token_type_hint', 'client_id', 'client_secret'],
};
