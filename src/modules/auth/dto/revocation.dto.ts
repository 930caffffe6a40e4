import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { OAuth2Request } from '../oauth2-endpoint.decorator.js';
import { ClientParametersDto } from './token.dto.js';

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
