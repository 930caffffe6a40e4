import { Body, Controller, Header, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFailures } from '../../platform/http/error.dto.js';
import { BodyLimit } from '../../platform/http/request-body.guard.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { BASIC_SCHEME, Public, RequireCaller } from '../../platform/security/require-scope.decorator.js';
import { LimitFailures } from '../../platform/throttling/failure-limit.js';
import { RateLimit } from '../../platform/throttling/rate-limit.decorator.js';
import { clientCredentialsOf } from './client-credentials.js';
import { TokenRequestDto, TokenResponseDto } from './dto/token.dto.js';
import { TokenRateLimitGuard } from './token-rate-limit.guard.js';
import { TokenService } from './token.service.js';

const TOKEN_EXAMPLES = {
  password: {
    summary: 'Sign in',
    value: { grant_type: 'password', client_id: 'wsc_…', client_secret: 'wss_…', scope: ['api'] },
  },
  refresh: { summary: 'Continue a session', value: { grant_type: 'refresh_token', refresh_token: 'eyJ…' } },
};

@ApiTags('Authentication')
@Controller('v1/api/oauth2')
export class OAuth2Controller {
  constructor(private readonly tokens: TokenService) {}

  /** Specification, section 4.1. */
  @Post('token')
  @Public()
  @RateLimit('token', TokenRateLimitGuard)
  @LimitFailures('tokenFailures')
  @BodyLimit('credentials')
  @Header('Cache-Control', 'no-store')
  @ApiSecurity(BASIC_SCHEME)
  @ApiSecurity({})
  @ApiOperation({
    summary: 'Get a token pair',
    description:
      'Signs in with client credentials (`grant_type: password`), in the body or as a Basic header, which wins where both ' +
      'are sent; or continues a session with its latest refresh token (`grant_type: refresh_token`), which then stops working.',
  })
  @ApiBody({ type: TokenRequestDto, examples: TOKEN_EXAMPLES })
  @Enveloped(TokenResponseDto, { description: 'A token pair.' })
  @ApiFailures(400, 401, 403, 413, 415, 503)
  token(@Body() body: TokenRequestDto, @Req() { headers }: Request) {
    return this.tokens.issue(body, clientCredentialsOf(headers.authorization, body));
  }

  @Post('logout')
  @RequireCaller()
  @ApiOperation({
    summary: 'End the current session',
    description: 'Neither of its tokens works any more, and its place among the ten is free.',
  })
  @Enveloped(null, { message: 'The session has ended' })
  @ApiFailures(400)
  logout(@Caller() caller: Principal) {
    return this.tokens.logout(caller);
  }
}
