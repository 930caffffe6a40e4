import { Controller, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { isForm } from '../../platform/body/body.decorators.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireSession } from '../../platform/security/require-scope.decorator.js';
import { readClientCredentials } from './client-credentials.js';
import {
  REVOCATION_REQUEST,
  RevocationRequestDto,
  TOKEN_REQUEST,
  TokenRequestDto,
  TokenResponseDto,
} from './dto/token.dto.js';
import { OAuth2Endpoint, OAuth2Parameters } from './oauth2-endpoint.decorator.js';
import { RevocationService } from './revocation.service.js';
import { type Grant, TokenService } from './token.service.js';
import { refreshTokens } from './token-rate-limit.guard.js';
import { FORBIDDEN_GRANT, SESSION_ERRORS } from '../sessions/sessions.errors.js';
import { AUTH_ERRORS } from './auth.errors.js';

const TOKEN_EXAMPLES = {
  password: { summary: 'Sign in with the credentials of the header', value: { grant_type: 'password' } },
  refresh: { summary: 'Continue a session', value: { grant_type: 'refresh_token', refresh_token: 'eyJ…' } },
};

const REVOCATION_EXAMPLES = {
  session: { summary: 'Revoke a session', value: { token: 'eyJ…' } },
};

/** The grants of the specification. Standard clients use `client_credentials` for what is `password` in JSON. */
const JSON_GRANTS: readonly Grant[] = ['password', 'refresh_token'];
const FORM_GRANTS: readonly Grant[] = [...JSON_GRANTS, 'client_credentials'];

@ApiGroup({
  name: 'Authentication',
  description:
    'Client credentials give an access token of 15 minutes and a refresh token. A user has at most ten sessions, so end ' +
    'those that are not needed.',
  guide: 'authentication',
})
@Controller('v1/api/oauth2')
export class OAuth2Controller {
  constructor(
    private readonly tokens: TokenService,
    private readonly revocation: RevocationService,
  ) {}

  /** Specification, section 4.1. */
  @Post('token')
  @OAuth2Endpoint({ countAttempts: true })
  @ApiOperation({
    summary: 'Get a token pair',
    description:
      'Signs in with client credentials (`grant_type: password`), in the body or as a Basic header; the header takes ' +
      'precedence. Or continues a session with its latest refresh token (`grant_type: refresh_token`), which is then ' +
      'invalid.\n\nA form (`application/x-www-form-urlencoded`) gets the responses of RFC 6749: `data` without the ' +
      'envelope, and `{ error, error_description }` on failure. Forms may also use `grant_type: client_credentials` ' +
      'for a session without a refresh token.',
  })
  @ApiBody({ type: TokenRequestDto, examples: TOKEN_EXAMPLES })
  @Enveloped(TokenResponseDto, { description: 'A token pair.', bareForForms: true })
  @ApiErrors(AUTH_ERRORS.unsupported_grant_type, AUTH_ERRORS.invalid_client, SESSION_ERRORS.invalid_grant)
  @ApiErrors(AUTH_ERRORS.invalid_scope, FORBIDDEN_GRANT)
  token(@OAuth2Parameters(TOKEN_REQUEST) parameters: TokenRequestDto, @Req() request: Request) {
    const credentials = readClientCredentials(request.headers.authorization, parameters);
    return this.tokens.issue(
      parameters,
      credentials,
      refreshTokens.get(request),
      isForm(request) ? FORM_GRANTS : JSON_GRANTS,
    );
  }

  @Post('logout')
  @RequireSession()
  @NoIdempotencyKey()
  @ApiOperation({
    summary: 'End the current session',
    description: 'Both of its tokens become invalid, and it no longer counts towards the limit of ten sessions.',
  })
  @Enveloped(null, { message: 'The session has ended' })
  logout(@Caller() caller: Principal) {
    return this.revocation.logout(caller);
  }

  @Post('revoke')
  @OAuth2Endpoint({ countAttempts: false })
  @ApiOperation({
    summary: 'Revoke a token (RFC 7009)',
    description:
      'Takes an access token or a refresh token with the credentials of the client that it was issued to, and revokes ' +
      'the whole session. An invalid or revoked token is a success, too.',
  })
  @ApiBody({ type: RevocationRequestDto, examples: REVOCATION_EXAMPLES })
  @Enveloped(null, { message: 'The token is revoked', bareForForms: true })
  @ApiErrors(AUTH_ERRORS.invalid_client, FORBIDDEN_GRANT)
  revoke(@OAuth2Parameters(REVOCATION_REQUEST) parameters: RevocationRequestDto, @Req() { headers }: Request) {
    return this.revocation.revoke(parameters.token, readClientCredentials(headers.authorization, parameters));
  }
}
