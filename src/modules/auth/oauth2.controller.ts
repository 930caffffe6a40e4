import { Body, Controller, Header, Headers, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFailures } from '../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { Public, RequireCaller } from '../../platform/security/require-scope.decorator.js';
import { clientCredentialsOf } from './client-credentials.js';
import { TokenRequestDto, TokenResponseDto } from './dto/token.dto.js';
import { TokenService } from './token.service.js';

@ApiTags('Authentication')
@Controller('v1/api/oauth2')
export class OAuth2Controller {
  constructor(private readonly tokens: TokenService) {}

  /** Signs in with client credentials, or continues a session with its latest refresh token (specification, section 4.1). */
  @Post('token')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Get a token pair' })
  @Enveloped(TokenResponseDto, { description: 'A token pair.' })
  @ApiFailures(400, 401, 403, 413, 415, 503)
  token(@Body() request: TokenRequestDto, @Headers('authorization') authorization?: string) {
    return this.tokens.issue(request, clientCredentialsOf(authorization, request));
  }

  /** Ends the session that the access token belongs to: neither of its tokens works any more, and its place is free. */
  @Post('logout')
  @RequireCaller()
  @ApiOperation({ summary: 'End the current session' })
  @Enveloped(null, { message: 'The session has ended' })
  @ApiFailures(400)
  logout(@Caller() caller: Principal) {
    return this.tokens.logout(caller);
  }
}
